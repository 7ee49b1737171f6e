//! The links that add cutline to an editor have the same entry that `cutline config` prints. The command is the one on the
//! `PATH`, because a link cannot contain the path of the binary.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::example_project::ExampleProject;
use super::page;

const CURSOR: &str = "https://cursor.com/en-US/install-mcp?";
const VSCODE: &str = "https://insiders.vscode.dev/redirect/mcp/install?";

#[test]
fn install_links_match_config() {
    let mut seen = (0, 0);
    for (place, link) in page::all().iter().flat_map(|page| &page.links) {
        let (client, servers, query) = if let Some(query) = link.strip_prefix(CURSOR) {
            seen.0 += 1;
            ("cursor", "mcpServers", query)
        } else if let Some(query) = link.strip_prefix(VSCODE) {
            seen.1 += 1;
            ("vscode", "servers", query)
        } else {
            continue;
        };
        let field = |name: &str| {
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let value = pairs.filter(|(key, _)| *key == name).map(|(_, value)| value).next();
            let value = value.unwrap_or_else(|| panic!("{place}: {name} is not in {link}"));
            percent_decode_str(value).decode_utf8().unwrap().into_owned()
        };
        assert_eq!(field("name"), "cutline", "{place}");
        let config = field("config");
        let config = if client == "cursor" { STANDARD.decode(config).unwrap() } else { config.into_bytes() };
        let config: Value = serde_json::from_slice(&config).unwrap();
        assert_eq!(config, printed(client, servers), "{place}");
    }
    assert!(seen.0 > 0 && seen.1 > 0, "{seen:?}");
}

fn printed(client: &str, servers: &str) -> Value {
    let output = ExampleProject::new().run(&format!("cutline config {client}"));
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut entry = printed[servers]["cutline"].clone();
    entry["command"] = json!("cutline");
    entry["args"] = json!([]);
    entry
}
