//! Tests values and their ranges in three formats.

use super::*;

/// Returns each string and list of a text, with its original text.
fn written(format: Format, text: &str) -> Vec<(String, String)> {
    fn walk(node: &Node, text: &str, name: &str, all: &mut Vec<(String, String)>) {
        all.push((name.to_owned(), text[node.place.clone()].to_owned()));
        for (n, item) in node.items().iter().enumerate() {
            walk(item, text, &format!("{name}[{n}]"), all);
        }
        for (member, value) in node.members() {
            walk(value, text, &format!("{name}.{member}"), all);
        }
    }
    let mut all = Vec::new();
    walk(&Node::parse(format, text).expect("it is read"), text, "", &mut all);
    all
}

#[test]
fn yaml_places() {
    let text = "# é\nname: é # c\nservers:\n  - name: a\n    args:\n    - -y\n    - \"x y\" # d\n    none:\n  - {name: 'b', args: [1, \"é\"]}\nlast: |\n  one\n  two\n\nend: true\n";
    for (name, expected) in [
        (".name", "é"),
        (".servers[0].name", "a"),
        (".servers[0].args", "- -y\n    - \"x y\" # d"),
        (".servers[0].args[0]", "-y"),
        (".servers[0].args[1]", "\"x y\""),
        (".servers[0].none", ""),
        (".servers[0]", "name: a\n    args:\n    - -y\n    - \"x y\" # d\n    none:"),
        (".servers[1]", "{name: 'b', args: [1, \"é\"]}"),
        (".servers[1].args", "[1, \"é\"]"),
        (".servers[1].args[1]", "\"é\""),
        (".end", "true"),
    ] {
        let all = written(Format::Yaml, text);
        let (_, found) = all.iter().find(|(other, _)| other == name).unwrap_or_else(|| panic!("{all:#?}"));
        assert_eq!(found, expected, "{name}");
    }
}
