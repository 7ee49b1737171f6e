//! The shell commands and calls in the tables of docs/faq.md succeed.

use super::example_project::ExampleProject;
use super::file;

const PAGE: &str = "docs/faq.md";

/// Returns the shell commands of the tables, each with its call: the tool and the arguments.
fn rows() -> Vec<(String, String, String)> {
    let page = file(PAGE).replace("\\|", "\u{1}");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let cells = |line: &str| {
        let spans: Vec<String> =
            line.split('`').skip(1).step_by(2).map(|code| code.replace('\u{1}', "|")).collect();
        let [shell, call] = &spans[..] else { panic!("two commands are expected: {line}") };
        let (tool, arguments) = call.split_once(' ').unwrap();
        (shell.clone(), tool.to_owned(), arguments.to_owned())
    };
    rows.map(cells).collect()
}

#[test]
fn commands_and_calls_of_the_faq_work() {
    let project = ExampleProject::new();
    let mut client = project.client();
    let rows = rows();
    assert!(rows.len() > 20, "{} rows", rows.len());
    for (shell, tool, arguments) in rows {
        let output = project.run(&shell);
        assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
        let reply = client.call(&tool, project.arguments(&arguments));
        assert!(!reply.is_error(), "{tool} {arguments}: {reply}");
        for nothing in ["No matches found", "No files found", "(empty directory)"] {
            assert!(!reply.text().starts_with(nothing), "{tool} {arguments}: {reply}");
        }
    }
}

#[test]
fn faq_is_short() {
    let words = file(PAGE).split_whitespace().count();
    assert!(words <= 600, "{words} words");
}
