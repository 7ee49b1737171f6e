//! Runs one scenario and reports the differences.

use base64::Engine as _;
use serde_json::{Map, Value, json};

use super::check;
use super::fixture::{Call, Image, Scenario};
use crate::support::{Client, Protocol, Reply, Start, Workspace, difference, text};

/// Runs `scenario` in both protocol revisions. Returns the differences as an error.
pub(super) fn run(scenario: &Scenario) -> Result<(), String> {
    let workspace = Workspace::with(&Value::Object(scenario.files.clone()));
    Protocol::BOTH.into_iter().try_for_each(|protocol| {
        // After a hang or a protocol error, the other scenarios still run.
        let stopped = |panic: Box<dyn std::any::Any + Send>| {
            Err(panic.downcast_ref::<String>().map_or("a panic", String::as_str).to_owned())
        };
        let calls = || run_calls(scenario, &workspace, protocol);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(calls)).unwrap_or_else(stopped)
    })
}

/// Makes the calls of `scenario` one after another with a new server.
fn run_calls(scenario: &Scenario, workspace: &Workspace, protocol: Protocol) -> Result<(), String> {
    let mut start = Start::new(workspace).flags(&scenario.flags).protocol(protocol);
    for (name, value) in &scenario.env {
        start = start.env(name, value);
    }
    if scenario.unprivileged {
        start = start.unprivileged();
    }
    let (limits, mut names) = (check::Limits::of(scenario), Names::default());
    let mut client = start.client();
    for call in &scenario.calls {
        let reply = client.call(&call.tool, names.expand_args(workspace, &call.args));
        names.learn(&reply);
        let limits = limits.of_call(scenario, call);
        verify(call, &reply, &names, workspace, limits).map_err(|why| format!("{why}\n{reply}"))?;
        if let Some(expected) = &call.pages {
            check_pages(call, reply, &text(expected), &mut client)?;
        }
    }
    Ok(())
}

fn verify(
    call: &Call,
    reply: &Reply,
    names: &Names,
    workspace: &Workspace,
    limits: check::Limits,
) -> Result<(), String> {
    check::always(&call.tool, reply, limits)?;
    let actual = names.redact(workspace, reply.text());
    let expected = text(&call.text);
    if !matches(&expected, &actual) {
        return Err(difference(&expected, &actual));
    }
    if reply.is_error() != call.is_error {
        return Err(format!("isError: expected {}", call.is_error));
    }
    let details = reply.details().as_object().cloned().unwrap_or_default();
    same_details(call, &names.redact_details(workspace, Value::Object(details)))?;
    match (&call.image, shown_image(reply)?) {
        (Some(expected), Some(shown)) if *expected == shown => Ok(()),
        (None, None) => Ok(()),
        (expected, shown) => Err(format!("image: expected {expected:?}, shown {shown:?}")),
    }
}

/// Returns true if `text` matches `expected`. In `expected`, `<*>` matches any text.
fn matches(expected: &str, text: &str) -> bool {
    let mut parts = expected.split("<*>");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<_> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

fn same_details(call: &Call, actual: &Value) -> Result<(), String> {
    let mut actual = actual.as_object().cloned().unwrap_or_default();
    let mut expected = call.details.clone();
    // Compare the fields of `truncation` that the fixture has. The others are checked for all results.
    for (key, always) in [("truncation", "totalIsLowerBound"), ("truncationInfo", "reason")] {
        match (actual.get_mut(key), expected.get(key).and_then(Value::as_object)) {
            (Some(Value::Object(cut)), Some(expected)) => {
                cut.retain(|key, _| expected.contains_key(key) || key == always);
            }
            // It repeats the fields of `truncation`.
            (Some(_), None) if key == "truncationInfo" => _ = actual.remove(key),
            _ => {}
        }
    }
    if call.more_details {
        actual.retain(|key, _| expected.contains_key(key));
    }
    for (key, value) in &mut expected {
        if let (Some(pattern), Some(text)) = (value.as_str(), actual.get(key).and_then(Value::as_str))
            && matches(pattern, text)
        {
            *value = json!(text);
        }
    }
    if actual == expected {
        return Ok(());
    }
    let pretty = |details: Map<String, Value>| serde_json::to_string_pretty(&details).unwrap_or_default();
    let (expected, actual) = (pretty(expected), pretty(actual));
    Err(format!("details: {}", difference(&expected, &actual)))
}

fn shown_image(reply: &Reply) -> Result<Option<Image>, String> {
    let Some(block) = reply.result["content"].get(1) else { return Ok(None) };
    let data = block["data"].as_str().ok_or("the second block is not an image")?;
    let bytes = base64::engine::general_purpose::STANDARD.decode(data).map_err(|error| error.to_string())?;
    let image = image::load_from_memory(&bytes).map_err(|error| error.to_string())?;
    let mime_type = block["mimeType"].as_str().unwrap_or("none").to_owned();
    Ok(Some(Image { mime_type, width: image.width(), height: image.height() }))
}

/// Requests all further pages, and compares the joined bodies with `expected`.
fn check_pages(call: &Call, first: Reply, expected: &str, client: &mut Client) -> Result<(), String> {
    let mut reply = first;
    let mut bodies = vec![check::body(&reply).to_owned()];
    while let Some(offset) = reply.details()["nextOffset"].as_u64() {
        let mut args = call.args.clone();
        args["offset"] = json!(offset);
        reply = client.call(&call.tool, args);
        bodies.push(check::body(&reply).to_owned());
        if bodies.len() > 1000 {
            return Err("the pages never end".to_owned());
        }
    }
    let together = bodies.join("\n");
    if together == expected {
        return Ok(());
    }
    Err(format!("all pages together: {}", difference(expected, &together)))
}

/// Values that differ from run to run. They are replaced before texts are compared.
#[derive(Debug, Default)]
struct Names {
    /// The path of the latest saved output.
    saved: Option<String>,
    pids: Vec<u64>,
}

impl Names {
    fn learn(&mut self, reply: &Reply) {
        let details = reply.details();
        if let Some(path) = details["fullOutputPath"].as_str() {
            self.saved = Some(path.to_owned());
        }
        let pids = details["backgroundPids"].as_array().into_iter().flatten();
        self.pids = pids.filter_map(Value::as_u64).collect();
    }

    fn expand_args(&self, workspace: &Workspace, args: &Value) -> Value {
        map_strings(args, &|text| {
            let text = workspace.expand(text);
            self.saved.as_ref().map_or(text.clone(), |saved| text.replace("<saved>", saved))
        })
    }

    fn redact(&self, workspace: &Workspace, text: &str) -> String {
        let mut text = text.to_owned();
        if let Some(saved) = &self.saved {
            text = text.replace(saved, "<saved>");
        }
        for pid in &self.pids {
            text = text.replacen(&format!(" {pid} "), " <pid> ", 1);
        }
        // The root is inside the base, so its path is replaced first.
        let text = replace_path(&text, &workspace.root().display().to_string(), "<root>");
        replace_path(&text, &workspace.base().display().to_string(), "<base>")
    }

    fn redact_details(&self, workspace: &Workspace, mut details: Value) -> Value {
        if let Some(map) = details.as_object_mut() {
            // The duration differs from run to run. `check` makes sure that it exists.
            map.remove("durationMs");
            if let Some(Value::Array(pids)) = map.get_mut("backgroundPids") {
                pids.fill(json!("<pid>"));
            }
        }
        map_strings(&details, &|text| self.redact(workspace, text))
    }
}

/// Replaces `path` with `name` in `text` if it is a complete path or the start of one.
fn replace_path(text: &str, path: &str, name: &str) -> String {
    let mut parts = text.split(path);
    let mut replaced = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_prefix = part.starts_with(|c: char| c.is_alphanumeric() || "-_.".contains(c));
        replaced.push_str(if is_prefix { path } else { name });
        replaced.push_str(part);
    }
    replaced
}

/// Returns `value` with every string changed.
fn map_strings(value: &Value, change: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => json!(change(text)),
        Value::Array(items) => items.iter().map(|item| map_strings(item, change)).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), map_strings(value, change)))
            .collect::<Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}
