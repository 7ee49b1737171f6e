//! Names, versions and flags in `packaging` agree with the binary, Cargo.toml and `targets.json`.
//!
//! `tests/clients/packages.py` checks that the packages install and start. It needs npm.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Client, Start, Workspace};

const NAME: &str = env!("CARGO_PKG_NAME");
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Maximum length of a description in the schema of the MCP registry.
const MAX_REGISTRY_DESCRIPTION_CHARS: usize = 100;

fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn data(path: &str) -> Value {
    serde_json::from_str(&file(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn wrapper() -> Value {
    data("packaging/npm/package.json")
}

fn manifest() -> Value {
    data("packaging/mcpb/manifest.json")
}

fn server_json() -> Value {
    data("packaging/server.json")
}

/// Returns the entries of targets.json with this state.
fn targets(state: &str) -> Vec<Value> {
    let rows = data("packaging/targets.json");
    rows.as_array().unwrap().iter().filter(|row| row["state"] == state).cloned().collect()
}

fn strings<'a>(values: impl IntoIterator<Item = &'a Value>) -> BTreeSet<&'a str> {
    values.into_iter().map(|value| value.as_str().unwrap()).collect()
}

fn help() -> String {
    let help = Command::new(env!("CARGO_BIN_EXE_cutline")).arg("--help").output().unwrap();
    String::from_utf8(help.stdout).unwrap()
}

/// Returns the flags in a text, without surrounding punctuation.
fn flags(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.filter(|word| word.starts_with("--") && word.len() > 2).collect()
}

/// Returns the package of this kind from server.json.
fn published_package(kind: &str) -> Value {
    let server = server_json();
    let packages = server["packages"].as_array().unwrap();
    packages.iter().find(|package| package["registryType"] == kind).unwrap().clone()
}

#[test]
fn versions_agree() {
    let (wrapper, npm) = (wrapper(), published_package("npm"));
    let platforms = wrapper["optionalDependencies"].as_object().unwrap().values();
    let (manifest, server) = (manifest(), server_json());
    let versions = [&wrapper["version"], &manifest["version"], &server["version"], &npm["version"]];
    assert_eq!(strings(versions.into_iter().chain(platforms)), BTreeSet::from([VERSION]));
}

#[test]
fn names_and_licence_agree() {
    let (wrapper, manifest) = (wrapper(), manifest());
    assert_eq!(manifest["name"], NAME);
    assert_eq!(server_json()["title"], NAME);
    assert_eq!(published_package("npm")["identifier"], wrapper["name"]);
    assert_eq!(wrapper["bin"], json!({ NAME: "bin/cutline.js" }));
    for about in [&wrapper, &manifest] {
        assert_eq!(about["license"], env!("CARGO_PKG_LICENSE"));
        assert_eq!(about["description"], env!("CARGO_PKG_DESCRIPTION"));
    }
    let description = server_json()["description"].as_str().unwrap().chars().count();
    assert!(description <= MAX_REGISTRY_DESCRIPTION_CHARS, "{description} characters");
}

#[test]
fn npm_and_mcpb_are_for_the_released_targets() {
    let (wrapper, manifest, released) = (wrapper(), manifest(), targets("released"));
    let package = |row: &Value| {
        let part = |key: &str| row[key].as_str().unwrap().to_owned();
        format!("{}-{}-{}", wrapper["name"].as_str().unwrap(), part("os"), part("cpu"))
    };
    let packages: Vec<String> = released.iter().map(package).collect();
    let listed: Vec<&String> = wrapper["optionalDependencies"].as_object().unwrap().keys().collect();
    assert_eq!(BTreeSet::from_iter(&packages), BTreeSet::from_iter(listed));
    assert_eq!(BTreeSet::from_iter(&packages).len(), packages.len(), "two targets for one platform");
    let systems = manifest["compatibility"]["platforms"].as_array().unwrap();
    assert_eq!(strings(systems), strings(released.iter().map(|row| &row["os"])));
}

#[test]
fn released_targets_have_a_runner() {
    for row in targets("released") {
        assert!(row["runner"].is_string(), "no runner builds {row}");
    }
}

#[test]
fn bundle_lists_tools_of_binary() {
    let listed = Client::new(&Workspace::new()).ask("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap().iter();
    let tools: Value =
        tools.map(|tool| json!({"name": tool["name"], "description": tool["description"]})).collect();
    assert_eq!(manifest()["tools"], tools);
}

#[test]
fn bundle_flags_are_accepted() {
    let manifest = manifest();
    let config = &manifest["server"]["mcp_config"];
    let entry = manifest["server"]["entry_point"].as_str().unwrap();
    assert_eq!(config["command"], format!("${{__dirname}}/{entry}"));
    let workspace = Workspace::with(&json!({"a.txt": "one\n"}));
    let arguments = config["args"].as_array().unwrap().iter().map(|argument| {
        let argument = argument.as_str().unwrap();
        let key = argument.strip_prefix("${user_config.").and_then(|rest| rest.strip_suffix('}'));
        let Some(key) = key else { return argument.to_owned() };
        let option = &manifest["user_config"][key];
        match option["default"].as_str() {
            Some(default) => default.to_owned(),
            None => workspace.root().display().to_string(),
        }
    });
    let mut started = Start::new(&workspace).flags(arguments).client();
    started.call("ls", json!({})).assert_text("a.txt");
    let help = help();
    for (flag, key) in [("--tools", "tools"), ("--sandbox", "sandbox")] {
        let default = help.split(&format!("{flag} <")).nth(1).unwrap().split("[default: ").nth(1).unwrap();
        assert_eq!(manifest["user_config"][key]["default"], default.split(']').next().unwrap(), "{flag}");
    }
}

#[test]
fn package_flags_exist() {
    let (help, npm) = (help(), published_package("npm"));
    let known = flags(&help);
    let page = file("packaging/npm/README.md");
    let arguments = npm["packageArguments"].as_array().unwrap();
    let listed = strings(arguments.iter().map(|argument| &argument["name"]));
    let used: BTreeSet<&str> = flags(&page).into_iter().chain(listed).collect();
    assert!(used.len() > 2, "too few flags were found");
    assert!(used.is_subset(&known), "not in --help: {:?}", used.difference(&known));
}

#[test]
fn container_image_has_a_supported_compiler() {
    let image = file("Dockerfile");
    let minor = |version: &str| version.split('.').nth(1).unwrap().parse::<u32>().unwrap();
    let used = image.lines().find_map(|line| line.strip_prefix("FROM rust:")?.split('-').next()).unwrap();
    assert!(minor(used) >= minor(env!("CARGO_PKG_RUST_VERSION")), "{used} is too old");
    assert!(image.lines().any(|line| line == format!("ENTRYPOINT [\"{NAME}\"]")), "unexpected entry point");
}
