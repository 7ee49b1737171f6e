//! Runs the files of `fixtures/wrap`: the result of a server, and the result for the client.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{RESPONSES, Wrap};
use crate::support::{Workspace, content, difference};

/// The word for the path of the saved output.
const SAVED: &str = "<saved>";

#[test]
fn every_scenario_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/wrap");
    let mut failed = Vec::new();
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "json"));
    files.sort();
    assert!(files.len() > 15, "{files:?}");
    for path in files {
        let scenario: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        if let Err(why) = run(&scenario) {
            failed.push(format!("{}: {}\n{why}", path.display(), scenario["about"]));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

/// Replaces recipes (`{"repeat": …}`) with the strings that they describe.
fn filled(value: &Value) -> Value {
    match value {
        Value::Object(members) if members.contains_key("recipe") => {
            String::from_utf8(content(&members["recipe"])).unwrap().into()
        }
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), filled(value))).collect(),
        Value::Array(items) => items.iter().map(filled).collect(),
        other => other.clone(),
    }
}

fn run(scenario: &Value) -> Result<(), String> {
    let workspace = Workspace::new();
    let flags: Vec<&str> =
        scenario["flags"].as_array().into_iter().flatten().map(|flag| flag.as_str().unwrap()).collect();
    let result = match &scenario["raw"] {
        Value::String(raw) => raw.clone(),
        _ => filled(&scenario["result"]).to_string(),
    };
    let list = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [
        {"name": scenario["tool"].as_str().unwrap_or("tool"), "outputSchema": scenario["outputSchema"]},
    ]}});
    workspace.write("1", format!("{list}\n"));
    let response = format!("{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{result}}}\n");
    workspace.write("2", &response);
    let mut wrap = Wrap::start(&workspace, &flags, RESPONSES);
    wrap.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n");
    wrap.line();
    wrap.call("2", scenario["tool"].as_str().unwrap_or("tool"));
    let given = String::from_utf8(wrap.line()).unwrap();
    wrap.end();
    let mut saved: Vec<_> =
        fs::read_dir(workspace.saved_dir()).unwrap().map(|entry| entry.unwrap().path()).collect();
    saved.sort();
    if scenario["passes"] == true {
        return match (given == response, saved.is_empty()) {
            (true, true) => Ok(()),
            (false, _) => Err(format!("not as it was:\n{given}")),
            _ => Err(format!("saved: {saved:?}")),
        };
    }
    let full =
        |path: &std::path::PathBuf| given.contains(&format!("\"fullOutputPath\":\"{}\"", path.display()));
    let named = saved.iter().find(|path| full(path));
    let path = named.map_or_else(String::new, |path| path.display().to_string());
    let given = if named.is_some() { given.replace(&path, SAVED) } else { given };
    let given: Value = serde_json::from_str(&given).map_err(|error| error.to_string())?;
    let result = &given["result"];
    for (field, expected) in scenario["gives"].as_object().unwrap() {
        let (found, expected) = (at(result, field), filled(expected));
        if found != expected {
            return Err(format!("{field}: {}", difference(&format!("{expected:#}"), &format!("{found:#}"))));
        }
    }
    if let Some(expected) = scenario.get("saved") {
        let whole = named.map(|path| fs::read_to_string(path).unwrap()).ok_or("nothing was saved")?;
        let expected = filled(expected);
        if expected.as_str() != Some(&whole) {
            return Err(format!("saved: {}", difference(expected.as_str().unwrap(), &whole)));
        }
        let end = if whole.starts_with(['{', '[']) { "json" } else { "txt" };
        if !path.ends_with(end) {
            return Err(format!("{path} does not end with {end}"));
        }
    }
    Ok(())
}

/// The value at `field`: names with dots between them.
fn at(value: &Value, field: &str) -> Value {
    let pointer = format!("/{}", field.replace('.', "/"));
    value.pointer(&pointer).cloned().unwrap_or(Value::Null)
}
