//! The pages of the clients: one for each that `cutline config` knows, all of the same form.

use super::page;
use super::{example_project::ExampleProject, file};

/// The headings of each, in this order.
const HEADINGS: [&str; 7] = [
    "add-it",
    "see-that-it-works",
    "what-an-answer-looks-like",
    "limits-that-matter",
    "measured",
    "permission",
    "remove-it",
];

/// The clients that `cutline config` knows.
fn clients() -> Vec<String> {
    let help = String::from_utf8(ExampleProject::new().run("cutline config --help").stdout).unwrap();
    let (_, values) = help.split_once("possible values: ").unwrap();
    let values = values.split(']').next().unwrap_or_default();
    let clients: Vec<_> = values.split(',').map(|value| value.trim().to_owned()).collect();
    assert!(clients.len() >= 10, "{help}");
    clients
}

#[test]
fn client_pages_have_one_form() {
    for client in clients() {
        let path = format!("docs/clients/{client}.md");
        let page = page::one(&path);
        assert_eq!(page.anchors[1..], HEADINGS, "{path}");
        let shows = page.blocks.iter().filter_map(|block| block.shows.as_deref());
        let entry = format!("cutline config {client} ");
        assert!(
            shows.into_iter().any(|command| command.starts_with(&entry)),
            "{path} does not show the entry"
        );
        let transcripts = page.blocks.iter().filter(|block| block.kind == "console").count();
        assert_eq!(transcripts, 1, "{path}: transcripts");
        for (index, link) in [("README.md", &path), ("docs/clients/README.md", &format!("{client}.md"))] {
            assert!(file(index).contains(&format!("]({link})")), "{index} has no row for {client}");
        }
    }
}
