//! The variables that commands have: the server's, less those that are left out, and a few of cutline's.

use std::ffi::OsString;

use crate::sys::MARK;

/// Variables that each command has beside the server's: nothing asks, nothing pages, nothing draws.
const OWN: [(&str, &str); 5] = [
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
];

/// Words in the names of variables whose values are secrets. Clients hand their own on to the server.
pub const SECRETS: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];

/// The variables of the server that commands do not have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// Their names.
    pub left_out: Vec<OsString>,
}

impl Environment {
    /// Leaves out the variables whose names hold one of [`SECRETS`], but for those named in `keep`.
    pub fn filtered(keep: &[String]) -> Self {
        Self { left_out: secrets(std::env::vars_os().map(|(name, _)| name), keep) }
    }

    /// Returns all variables of a command, cutline's own last.
    pub(super) fn variables(&self) -> impl Iterator<Item = (OsString, OsString)> {
        // A server that a command started has that command's mark, its own commands have others.
        let inherited = std::env::vars_os().filter(|(name, _)| name != MARK && !self.left_out.contains(name));
        inherited.chain(OWN.map(|(name, value)| (name.into(), value.into())))
    }
}

fn secrets(names: impl Iterator<Item = OsString>, keep: &[String]) -> Vec<OsString> {
    let is_secret = |name: &OsString| {
        let upper = name.to_string_lossy().to_uppercase();
        SECRETS.iter().any(|word| upper.contains(word)) && !keep.iter().any(|kept| name == kept.as_str())
    };
    names.filter(is_secret).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_say_secret_are_left_out() {
        let names = [
            "PATH",
            "OPENAI_API_KEY",
            "gh_token",
            "PGPASSWORD",
            "AWS_SECRET_ACCESS_KEY",
            "Google_Credentials",
            "HOME",
            "NPM_TOKEN",
        ];
        let keep = ["NPM_TOKEN".to_owned()];
        let left_out = secrets(names.into_iter().map(OsString::from), &keep);
        let secret =
            ["OPENAI_API_KEY", "gh_token", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "Google_Credentials"];
        assert_eq!(left_out, secret);
    }
}
