//! Compares the pages with measurements with the agents in tests/agents and the table of client limits.

use cutline::fit::CLIENTS;

use super::file;

/// Returns the text of the pages with measurements.
fn pages() -> String {
    ["docs/clients/measured.md", "docs/clients/frameworks.md"].map(file).concat()
}

/// The versions of the packages that the agents are made of, an agent's own first: `@1.2.3` or `==1.2.3`.
fn versions() -> Vec<String> {
    let rows = file("tests/agents/agents.py");
    let rows = rows.lines().filter(|line| line.starts_with("@agent(") || line.contains("framework("));
    let version = |line: &str| {
        let package = line.split('"').find(|text| text.contains("==") || text[1..].contains('@'))?.to_owned();
        package.rsplit(['@', '=']).next().map(str::to_owned)
    };
    rows.filter_map(|line| version(line.get(1..)?)).collect()
}

#[test]
fn measured_versions_are_those_that_are_run() {
    let versions = versions();
    assert!(versions.len() > 15, "{versions:?}");
    let page = pages();
    for version in versions {
        assert!(page.contains(&format!(" {version}")), "{version} is on neither page");
    }
}

#[test]
fn measured_versions_are_those_of_the_fit() {
    let page = pages();
    for client in &CLIENTS {
        let version = format!(" {}.", client.version);
        assert!(page.contains(&version), "{} {} is on neither page", client.id, client.version);
    }
}
