//! The pages of the clients: one for each client of `cutline config`, all with the same sections.

use super::page;
use super::{example_project::ExampleProject, file};

/// The headings of each page, in order.
const HEADINGS: [&str; 6] = [
    "add-cutline",
    "check-that-it-works",
    "limits-and-timeouts",
    "prefer-cutline",
    "permissions",
    "remove-cutline",
];

/// Returns the clients that `cutline config` supports.
fn clients() -> Vec<String> {
    let help = String::from_utf8(ExampleProject::new().run("cutline config --help").stdout).unwrap();
    let (_, values) = help.split_once("possible values: ").unwrap();
    let values = values.split(']').next().unwrap_or_default();
    let clients: Vec<_> = values.split(',').map(|value| value.trim().to_owned()).collect();
    assert!(clients.len() >= 10, "{help}");
    clients
}

#[test]
fn client_pages_have_the_same_sections() {
    for client in clients() {
        let path = format!("docs/clients/{client}.md");
        let page = page::one(&path);
        assert_eq!(page.anchors[1..], HEADINGS, "{path}");
        let shows = page.blocks.iter().filter_map(|block| block.shows.as_deref());
        let entry = format!("cutline config {client}");
        assert!(
            shows.into_iter().any(|command| command.starts_with(&entry)),
            "{path} does not show the entry"
        );
        let removal = format!("cutline config {client} --remove --write");
        assert!(file(&path).contains(&removal), "{path} does not show how to remove the entry");
        for (index, link) in [("README.md", &path), ("docs/clients/README.md", &format!("{client}.md"))] {
            assert!(file(index).contains(&format!("]({link})")), "{index} has no row for {client}");
        }
    }
}
