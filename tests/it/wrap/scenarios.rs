//! Runs the files of `fixtures/wrap`. Each has the result of a server and the expected result for the client.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{RESPONSES, Wrap};
use crate::support::{Workspace, content, difference};

/// The placeholder for the path of the saved output.
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
fn expanded(value: &Value) -> Value {
    match value {
        Value::Object(members) if members.contains_key("recipe") => {
            String::from_utf8(content(&members["recipe"])).unwrap().into()
        }
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), expanded(value))).collect()
        }
        Value::Array(items) => items.iter().map(expanded).collect(),
        other => other.clone(),
    }
}

fn run(scenario: &Value) -> Result<(), String> {
    let workspace = Workspace::new();
    let flags: Vec<&str> =
        scenario["flags"].as_array().into_iter().flatten().map(|flag| flag.as_str().unwrap()).collect();
    let result = match &scenario["raw"] {
        Value::String(raw) => raw.clone(),
        _ => expanded(&scenario["result"]).to_string(),
    };
    let response = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{result}}}\n");
    workspace.write("1", &response);
    let mut wrap = Wrap::start(&workspace, &flags, RESPONSES);
    wrap.call("1", scenario["tool"].as_str().unwrap_or("tool"));
    let received = String::from_utf8(wrap.line()).unwrap();
    wrap.end();
    let mut saved: Vec<_> =
        fs::read_dir(workspace.saved_dir()).unwrap().map(|entry| entry.unwrap().path()).collect();
    saved.sort();
    if scenario["passes"] == true {
        return match (received == response, saved.is_empty()) {
            (true, true) => Ok(()),
            (false, _) => Err(format!("not as it was:\n{received}")),
            _ => Err(format!("saved: {saved:?}")),
        };
    }
    let full =
        |path: &std::path::PathBuf| received.contains(&format!("\"fullOutputPath\":\"{}\"", path.display()));
    let saved_path = saved.iter().find(|path| full(path));
    let path = saved_path.map_or_else(String::new, |path| path.display().to_string());
    let received = if saved_path.is_some() { received.replace(&path, SAVED) } else { received };
    let received: Value = serde_json::from_str(&received).map_err(|error| error.to_string())?;
    let result = &received["result"];
    for (field, expected) in scenario["gives"].as_object().unwrap() {
        let (found, expected) = (at(result, field), expanded(expected));
        if found != expected {
            return Err(format!("{field}: {}", difference(&format!("{expected:#}"), &format!("{found:#}"))));
        }
    }
    if let Some(expected) = scenario.get("saved") {
        let full_text =
            saved_path.map(|path| fs::read_to_string(path).unwrap()).ok_or("nothing was saved")?;
        let expected = expanded(expected);
        if expected.as_str() != Some(&full_text) {
            return Err(format!("saved: {}", difference(expected.as_str().unwrap(), &full_text)));
        }
        let is_json = full_text.starts_with(['{', '[']) && scenario["isText"] != true;
        let end = if is_json { "json" } else { "txt" };
        if !path.ends_with(end) {
            return Err(format!("{path} does not end with {end}"));
        }
    }
    Ok(())
}

/// Returns the value at `field`, which has names separated by dots.
fn at(value: &Value, field: &str) -> Value {
    let pointer = format!("/{}", field.replace('.', "/"));
    value.pointer(&pointer).cloned().unwrap_or(Value::Null)
}
