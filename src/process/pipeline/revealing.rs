//! Decides from the text of a command whether it could notice or change the report of its exit codes.

/// Words that could reveal or change the report: traps, bash variables, limits.
const REVEALING: [&str; 10] = [
    "trap",
    "PIPESTATUS",
    "BASH_ENV",
    "BASH_XTRACEFD",
    "BASH_ARGC",
    "BASH_ARGV",
    "POSIXLY_CORRECT",
    "ulimit",
    "compgen",
    "typeset",
];

/// Returns true if `command` uses such a word, or lists all variables or options.
pub(super) fn is_revealing(command: &str) -> bool {
    REVEALING.iter().any(|word| uses(command, word).next().is_some())
        || uses(command, "declare").any(|rest| prints_all(rest) || rest.trim_start().starts_with("-p"))
        || uses(command, "set").any(|rest| prints_all(rest) || is_revealing_option(rest))
}

/// Returns the text after each use of a word in `command`.
fn uses<'a>(command: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    command.match_indices(word).filter_map(move |(at, _)| {
        let (before, rest) = (command.get(..at)?, command.get(at + word.len()..)?);
        (!before.ends_with(is_part) && !rest.starts_with(is_part)).then_some(rest)
    })
}

/// Returns true if `rest`, the text after a builtin, has no argument. The builtin then prints all variables.
fn prints_all(rest: &str) -> bool {
    let is_argument = |c: char| c.is_alphanumeric() || "-+\"'$_".contains(c);
    !rest.trim_start_matches([' ', '\t']).starts_with(is_argument)
}

/// Returns true if the options in `rest` make `set` print the lines that it reads (`-v`) or refuse redirections (`-r`).
fn is_revealing_option(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or_default();
    let mut words =
        line.split(|c: char| c.is_whitespace() || ";|&".contains(c)).skip_while(|word| word.is_empty());
    let is_letters = |word: &str| word.starts_with('-') && word.contains(['v', 'r']);
    words.next().is_some_and(|word| {
        word.starts_with('-') && (is_letters(word) || words.any(|word| word == "verbose" || is_letters(word)))
    })
}
