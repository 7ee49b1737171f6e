//! The versions on the pages with measurements match the agents in tests/agents and the client profiles.

use cutline::fit::Client;

use super::file;

/// Returns the text of the pages with measurements.
fn pages() -> String {
    ["docs/clients/measured.md", "docs/clients/frameworks.md"].map(file).concat()
}

/// Returns the versions of the packages of the agents: `@1.2.3` or `==1.2.3`. The package of the agent itself is first.
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
fn measured_versions_match_the_agent_tests() {
    let versions = versions();
    assert!(versions.len() > 15, "{versions:?}");
    let page = pages();
    for version in versions {
        assert!(page.contains(&format!(" {version}")), "{version} is not on the pages");
    }
}

#[test]
fn measured_versions_match_the_client_profiles() {
    let page = pages();
    for client in Client::measured() {
        let version = client.version.unwrap();
        assert!(page.contains(&format!(" {version}.")), "{} {version} is not on the pages", client.id);
    }
}

#[test]
fn number_of_clients_is_on_the_pages() {
    let number = format!(" {} clients and frameworks", Client::measured().count());
    for page in ["README.md", "CHANGELOG.md"] {
        assert!(file(page).contains(&number), "{page} must have{number}");
    }
}
