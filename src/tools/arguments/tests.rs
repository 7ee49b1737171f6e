//! A table of arguments as models and agents send them, with the result of each check.

use serde_json::json;

use super::*;
use crate::search::content::OutputMode;
use crate::tools::{ToolName, bash, find, grep, read};

fn given(value: &Value) -> Object {
    value.as_object().unwrap().clone()
}

/// Returns the checked arguments for `tool`, or the error.
fn checked(tool: ToolName, value: &Value) -> Result<Value, String> {
    let checked = check(tool.as_str(), tool.schema(), &given(value));
    checked.map(|checked| Value::Object(checked.arguments)).map_err(|error| error.to_string())
}

fn parse<T: DeserializeOwned>(tool: &str, schema: &Object, given: &Object) -> Result<T, ToolError> {
    typed(check(tool, schema, given)?.arguments)
}

#[test]
fn values_of_another_form_are_converted() {
    let schema = schema_of::<read::ReadArgs>();
    for value in [
        json!({"path": "a", "offset": -3, "limit": 10}),
        json!({"path": "a", "offset": "-3", "limit": "10"}),
        json!({"path": "a", "offset": -3.0, "limit": "10.0"}),
        json!({"Path": "a", "offset": " -3", "limit": 1e1}),
    ] {
        let args: read::ReadArgs = parse("read", &schema, &given(&value)).unwrap();
        assert_eq!((args.path[0].as_str(), args.offset, args.limit), ("a", Some(-3), Some(10)), "{value}");
    }
    for huge in [json!(u64::MAX), json!(1e30), json!("18446744073709551615")] {
        let args: read::ReadArgs =
            parse("read", &schema, &given(&json!({"path": "a", "limit": huge}))).unwrap();
        assert_eq!(args.limit, Some(i64::MAX.unsigned_abs()), "{huge}");
    }
    let schema = schema_of::<grep::GrepArgs>();
    let value =
        json!({"pattern": "x", "ignore_case": "true", "mode": "Files", "limit": null, "no-ignore": true});
    let args: grep::GrepArgs = parse("grep", &schema, &given(&value)).unwrap();
    assert_eq!((args.ignore_case, args.mode, args.limit), (Some(true), Some(OutputMode::Files), None));
}

#[test]
fn empty_values_of_optional_arguments_are_ignored() {
    use ToolName::{Bash, Find, Grep, Ls, Read};
    let cases = [
        (Read, json!({"path": "a", "limit": 0, "offset": 0}), json!({"path": ["a"]})),
        (Read, json!({"path": "a", "limit": "", "offset": null}), json!({"path": ["a"]})),
        (Read, json!({"path": "a", "limit": "0", "offset": []}), json!({"path": ["a"]})),
        (Read, json!({"path": "a", "limit": 0.0, "offset": {}}), json!({"path": ["a"]})),
        (Grep, json!({"pattern": "x", "path": "", "mode": "", "glob": ""}), json!({"pattern": "x"})),
        (Grep, json!({"pattern": "x", "context": 0, "limit": 0, "offset": 0}), json!({"pattern": "x"})),
        (
            Grep,
            json!({"pattern": "x", "literal": "", "multiline": false}),
            json!({"pattern": "x", "multiline": false}),
        ),
        (Find, json!({"pattern": "*", "sort": "", "type": "", "path": ""}), json!({"pattern": "*"})),
        (Ls, json!({"path": "", "limit": 0}), json!({})),
        // A folder can have this name, but 0 is not a valid choice.
        (Ls, json!({"path": "0", "limit": "0"}), json!({"path": "0"})),
        (Grep, json!({"pattern": "x", "glob": "00", "mode": "0"}), json!({"pattern": "x", "glob": ["00"]})),
        (Bash, json!({"command": "x", "timeout": 0, "head": 0, "tail": 0}), json!({"command": "x"})),
        (Bash, json!({"command": "x", "head": 0}), json!({"command": "x"})),
        // If another number is given, 0 means no lines.
        (Bash, json!({"command": "x", "head": 5, "tail": 0}), json!({"command": "x", "head": 5, "tail": 0})),
        (Bash, json!({"command": "x", "head": 0, "tail": 5}), json!({"command": "x", "head": 0, "tail": 5})),
    ];
    for (tool, value, expected) in cases {
        assert_eq!(checked(tool, &value), Ok(expected), "{tool:?} {value}");
    }
    // An empty value of a required argument does not count as omitted.
    assert_eq!(checked(Read, &json!({"path": ""})), Ok(json!({"path": [""]})));
}

#[test]
fn unambiguous_other_names_are_accepted() {
    use ToolName::{Bash, Find, Grep, Ls, Read};
    let cases = [
        (Read, json!({"file_path": "a"}), json!({"path": ["a"]})),
        (Read, json!({"filePath": "a"}), json!({"path": ["a"]})),
        (Read, json!({"filename": "a"}), json!({"path": ["a"]})),
        (Read, json!({"file_path": "a", "path": "a"}), json!({"path": ["a"]})),
        (Bash, json!({"cmd": "x"}), json!({"command": "x"})),
        (Grep, json!({"regex": "x", "filename": "a"}), json!({"pattern": "x", "path": ["a"]})),
        (Grep, json!({"regex": false, "pattern": "x"}), json!({"literal": true, "pattern": "x"})),
        (Grep, json!({"query": "x", "max_results": 5}), json!({"pattern": "x", "limit": 5})),
        (Find, json!({"pattern": "*", "maxResults": 5}), json!({"pattern": "*", "limit": 5})),
        (Ls, json!({"max_results": "5"}), json!({"limit": 5})),
        (Grep, json!({"pattern": "x", "include": "*.rs"}), json!({"pattern": "x", "glob": ["*.rs"]})),
        (Grep, json!({"pattern": "x", "head_limit": 5}), json!({"pattern": "x", "limit": 5})),
        (Find, json!({"pattern": "*", "dir_path": "a"}), json!({"pattern": "*", "path": "a"})),
        (Ls, json!({"directory": "a"}), json!({"path": "a"})),
        (Ls, json!({"relative_workspace_path": "a"}), json!({"path": "a"})),
        (Find, json!({"glob": "*.rs"}), json!({"pattern": "*.rs"})),
        (Grep, json!({"pattern": "x", "include_pattern": "*.rs"}), json!({"pattern": "x", "glob": ["*.rs"]})),
        (Grep, json!({"pattern": "x", "fixed_strings": true}), json!({"pattern": "x", "literal": true})),
        (Read, json!({"path": "a", "head": 5}), json!({"path": ["a"], "limit": 5})),
        (Read, json!({"target_file": "a", "num_lines": 5}), json!({"path": ["a"], "limit": 5})),
        (Find, json!({"pattern": "*", "SearchDirectory": "a"}), json!({"pattern": "*", "path": "a"})),
        (Ls, json!({"DirectoryPath": "a"}), json!({"path": "a"})),
        (
            Grep,
            json!({"pattern": "x", "cwd": "a", "skip": 3}),
            json!({"pattern": "x", "path": ["a"], "offset": 3}),
        ),
        (Bash, json!({"command": "x", "workdir": "a"}), json!({"command": "x", "cwd": "a"})),
        (Bash, json!({"command": "x", "working_directory": "a"}), json!({"command": "x", "cwd": "a"})),
        // A file name is not a folder to search, so it is not an argument of find.
        (Find, json!({"pattern": "*", "filename": "a"}), json!({"pattern": "*"})),
    ];
    for (tool, value, expected) in cases {
        assert_eq!(checked(tool, &value), Ok(expected), "{tool:?} {value}");
    }
    let both = checked(Read, &json!({"file_path": "a", "path": "b"}));
    assert_eq!(both, Err("path: is given twice, with different values".to_owned()));
}

#[test]
fn arguments_added_by_agents_are_ignored() {
    for tool in ToolName::ALL {
        let own = match tool {
            ToolName::Read => json!({"path": ["a"]}),
            ToolName::Bash => json!({"command": "a"}),
            ToolName::Grep | ToolName::Find => json!({"pattern": "a"}),
            ToolName::Ls => json!({}),
        };
        for foreign in [
            "wait_for_previous",
            "explanation",
            "description",
            "reason",
            "toolSummary",
            "requires_approval",
            "_meta",
            "-n",
            "a\n",
        ] {
            let mut value = own.clone();
            value[foreign] = json!("x");
            assert_eq!(checked(tool, &value), Ok(own.clone()), "{tool:?} {foreign}");
        }
    }
}

#[test]
fn names_in_other_forms_are_refused_with_a_suggestion() {
    use ToolName::{Bash, Find, Grep, Ls, Read};
    let cases = [
        (Bash, json!({"command": "ls", "args": ["-l"]}), "all words in command"),
        (Grep, json!({"pattern": "x", "recursive": false}), "glob"),
        (Ls, json!({"pattern": "*.o"}), "path=FOLDER/GLOB"),
        (
            Ls,
            json!({"sort": "size"}),
            "the tool find with pattern=*, type=any, maxDepth=1 and sort=modified, or ls -S in bash",
        ),
        (Read, json!({"path": "a", "from": 2}), "offset"),
        (Read, json!({"path": "a", "to": 2}), "limit"),
        (Grep, json!({"pattern": "x", "extension": "rs"}), "glob"),
        (Bash, json!({"command": "x", "run_in_background": true}), "COMMAND & in command"),
        (Find, json!({"pattern": "*", "extension": "rs"}), "pattern"),
        (Ls, json!({"depth": 2}), "the tool find with pattern=*, type=any and maxDepth"),
        (Read, json!({"path": "a", "start_line": "x"}), "offset"),
        (Read, json!({"path": "a", "view_range": [9, 5]}), "offset and limit"),
        (Read, json!({"path": "a", "end_line": 0.5}), "limit"),
    ];
    for (tool, value, own) in [
        (Bash, json!({"command": "x", "cwd": null}), json!({"command": "x"})),
        (Bash, json!({"command": "x", "cwd": ""}), json!({"command": "x"})),
        (Bash, json!({"command": "x", "run_in_background": false}), json!({"command": "x"})),
        (Find, json!({"pattern": "*", "excludePatterns": []}), json!({"pattern": "*"})),
        (Ls, json!({"path": "a", "recursive": "False", "depth": 1, "sort": "name"}), json!({"path": "a"})),
        (Grep, json!({"pattern": "x", "output_mode": "content"}), json!({"pattern": "x", "mode": "content"})),
        (
            Grep,
            json!({"pattern": "x", "output_mode": "files_with_matches"}),
            json!({"pattern": "x", "mode": "files"}),
        ),
        (
            Grep,
            json!({"pattern": "x", "output_mode": "count", "-n": true}),
            json!({"pattern": "x", "mode": "count"}),
        ),
        (
            Grep,
            json!({"pattern": "x", "-i": true, "-C": 3, "head_limit": 5}),
            json!({"pattern": "x", "ignoreCase": true, "context": 3, "limit": 5}),
        ),
        (Grep, json!({"pattern": "x", "-l": true}), json!({"pattern": "x", "mode": "files"})),
        (Grep, json!({"pattern": "x", "-c": "true", "-l": false}), json!({"pattern": "x", "mode": "count"})),
        (Grep, json!({"pattern": "x", "-A": 0, "-B": 0, "type": ""}), json!({"pattern": "x"})),
        (
            Grep,
            json!({"pattern": "x", "-A": 3, "-B": 1, "-C": 2}),
            json!({"pattern": "x", "after": 3, "before": 1, "context": 2}),
        ),
        (
            Grep,
            json!({"pattern": "x", "-A": 0, "context": 2}),
            json!({"pattern": "x", "after": 0, "context": 2}),
        ),
        (
            Grep,
            json!({"pattern": "x", "exclude": ["*.js", "dist"], "file_type": "rust"}),
            json!({"pattern": "x", "exclude": ["*.js", "dist"], "type": ["rust"]}),
        ),
        (
            Grep,
            json!({"pattern": "x", "exclude": "[\"a\", \"b\"]"}),
            json!({"pattern": "x", "exclude": ["a", "b"]}),
        ),
        (Grep, json!({"pattern": "x", "exclude": "[ab]"}), json!({"pattern": "x", "exclude": ["[ab]"]})),
        (Grep, json!({"pattern": "x", "case_sensitive": true}), json!({"pattern": "x", "ignoreCase": false})),
        (Grep, json!({"pattern": "x", "case_sensitive": false}), json!({"pattern": "x", "ignoreCase": true})),
        (Find, json!({"pattern": "*", "max_depth": 1}), json!({"pattern": "*", "maxDepth": 1})),
        (Ls, json!({"ignore": ["*.o"], "-l": true}), json!({"exclude": ["*.o"], "long": true})),
        (Read, json!({"path": "a", "start_line": 5}), json!({"path": ["a"], "offset": 5})),
        (Read, json!({"path": "a", "view_range": [5, 9]}), json!({"path": ["a"], "offset": 5, "limit": 5})),
        (Read, json!({"path": "a", "end_line": 5}), json!({"path": ["a"], "limit": 5})),
        (Read, json!({"path": "a", "lineRange": "5-9"}), json!({"path": ["a"], "offset": 5, "limit": 5})),
        (Read, json!({"path": "a", "line_range": "[5, 9]"}), json!({"path": ["a"], "offset": 5, "limit": 5})),
        (Read, json!({"path": "a", "tail": 5}), json!({"path": ["a"], "offset": -5})),
        (Find, json!({"query": "*", "file_type": "f"}), json!({"pattern": "*", "type": "file"})),
        (Grep, json!({"pattern": "x", "-t": "c"}), json!({"pattern": "x", "type": ["c"]})),
        (Find, json!({"pattern": "x", "recursive": true}), json!({"pattern": "x"})),
    ] {
        assert_eq!(checked(tool, &value), Ok(own), "{value}");
    }
    for (tool, value, meant) in cases {
        let error = checked(tool, &value).unwrap_err();
        assert!(error.contains(&format!("did you mean {meant}?")), "{value}: {error}");
    }
}

#[test]
fn errors_report_the_given_and_the_expected_value() {
    let cases = [
        (json!({}), "path: is missing; must be a string or an array of strings"),
        (json!({"path": null}), "path: is missing; must be a string or an array of strings"),
        (json!({"path": 5}), "path: must be a string or an array of strings, got 5"),
        (json!({"path": "a", "limit": -1}), "limit: must be an integer of at least 1, got -1"),
        (json!({"path": "a", "limit": "ten"}), "limit: must be an integer of at least 1, got \"ten\""),
        (json!({"path": "a", "offset": 1.5}), "offset: must be an integer, got 1.5"),
        (json!({"path": "a", "offset": "inf"}), "offset: must be an integer, got \"inf\""),
        (
            json!({"path": ["\u{7f}", 1]}),
            "path: must be a string or an array of strings, got [\"\u{FFFD}\",1]",
        ),
        (
            json!({"path": "a", "limt": 1}),
            "limt: is not an argument of read; did you mean limit? (it takes limit, lineNumbers, offset, path)",
        ),
        (
            json!({"path": "a", "off\u{1b}set": 1}),
            "off\u{FFFD}set: is not an argument of read; did you mean offset? (it takes limit, lineNumbers, offset, path)",
        ),
    ];
    let schema = schema_of::<read::ReadArgs>();
    for (value, expected) in cases {
        let error = parse::<read::ReadArgs>("read", &schema, &given(&value)).unwrap_err();
        assert_eq!(error.to_string(), expected, "{value}");
    }
    let schema = schema_of::<find::FindArgs>();
    let error = parse::<find::FindArgs>("find", &schema, &given(&json!({"pattern": "*", "type": "link"})))
        .unwrap_err();
    assert_eq!(error.to_string(), "type: must be one of \"file\", \"dir\", \"any\", got \"link\"");
}

#[test]
fn schemas_are_plain() {
    for schema in
        [schema_of::<bash::BashArgs>(), schema_of::<grep::GrepArgs>(), schema_of::<find::FindArgs>()]
    {
        let text = Value::Object(schema.clone()).to_string();
        for noise in [
            "null\"",
            ":null",
            "format",
            "$schema",
            "$ref",
            "oneOf",
            "anyOf",
            "title",
            "default\"",
            "additionalProperties",
        ] {
            assert!(!text.contains(noise), "{noise} in {text}");
        }
        let optional = schema["properties"].as_object().unwrap().values().filter(|it| it["nullable"] == true);
        let required = schema["required"].as_array().unwrap().len();
        assert_eq!(optional.count(), schema["properties"].as_object().unwrap().len() - required);
    }
}

#[test]
fn unlisted_arguments_are_not_shown() {
    let schema = schema_of::<grep::GrepArgs>();
    assert!(schema["properties"].as_object().unwrap().contains_key("type"));
    let shown = without_bounds(&schema);
    assert!(!shown["properties"].as_object().unwrap().contains_key("type"));
    let error = checked(ToolName::Grep, &json!({"pattern": "x", "exclud": "a"})).unwrap_err();
    assert!(error.contains("did you mean exclude?") && !error.contains("type"), "{error}");
    let error = checked(ToolName::Grep, &json!({"pattern": "x", "exclude": [1]})).unwrap_err();
    assert_eq!(error, "exclude: must be a string or an array of strings, got [1]");
}

#[test]
fn shown_schemas_leave_the_check_of_values_to_us() {
    for schema in
        [schema_of::<bash::BashArgs>(), schema_of::<grep::GrepArgs>(), schema_of::<find::FindArgs>()]
    {
        let shown = Value::Object(without_bounds(&schema)).to_string();
        assert!(!["minimum", "maximum", "enum", "x-"].iter().any(|bound| shown.contains(bound)), "{shown}");
        for property in schema["properties"].as_object().unwrap().values() {
            let said = property["description"].as_str().unwrap();
            for choice in property.get("enum").and_then(Value::as_array).into_iter().flatten() {
                assert!(said.contains(choice.as_str().unwrap()), "{choice} is not in {said:?}");
            }
        }
    }
}
