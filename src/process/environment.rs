//! The environment of commands: the server's variables, without those that look like secrets, and a few that cutline
//! sets so that no program waits for a terminal.

use std::ffi::{OsStr, OsString};
use std::sync::LazyLock;

use crate::sys::TAG;

/// Variables that cutline sets for each command: no prompts, no pagers, no colours. git accepts its own text instead of
/// opening an editor. `GIT_SEQUENCE_EDITOR` is not set, because it would override a `GIT_EDITOR` of the command.
const OWN: [(&str, &str); 8] = [
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    // git prints this text if the editor fails.
    ("GIT_EDITOR", r#"sh -c "$CUTLINE_GIT_EDITOR" editor"#),
    ("CUTLINE_GIT_EDITOR", GIT_EDITOR),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
];
/// What git runs as its editor: the editor that the command sets with `git -c core.editor`, or in a variable, or
/// nothing. git itself would prefer an editor from its configuration. Nothing accepts the text that git proposes, but
/// `git config -e` proposes none, so the editor reports an error there.
const GIT_EDITOR: &str = concat!(
    r#"case $GIT_CONFIG_PARAMETERS in *core.editor*) eval "$(git config core.editor) \"\$@\""; exit ;; esac; "#,
    r#"for e in "$VISUAL" "$EDITOR"; do "#,
    // Editors that need a terminal, or wait for a window, are set by startup files.
    r#"p=${e%% *}; case ${p##*/}${e#"$p"} in "#,
    r#"''|*no-editor|vi|vim|'vim -f'|nvim|nano|pico|emacs|'emacs -nw'|'emacsclient '*|micro|hx|*' --wait'*|*' -w') ;; "#,
    r#"*) eval "$e \"\$@\""; exit ;; esac; "#,
    r#"done; "#,
    r#"case $1 in *config) case $EDITOR in *no-editor) eval "$EDITOR" ;; *) exit 1 ;; esac ;; esac"#,
);
/// Variables with the editor of other programs.
const EDITORS: [&str; 2] = ["EDITOR", "VISUAL"];
/// Variables that commands never inherit. `node` prints a warning if a colour is forced and `NO_COLOR` is set. The
/// others let a program wait in another window, or on the terminal of the client.
const NOT_INHERITED: [&str; 4] = ["FORCE_COLOR", "CLICOLOR_FORCE", "GPG_TTY", "SSH_ASKPASS"];
/// The ends of names of variables that commands never inherit: the editors and pagers of single programs, such as
/// `KUBE_EDITOR` and `MANPAGER`.
const NOT_INHERITED_ENDS: [&[u8]; 2] = [b"EDITOR", b"PAGER"];

/// The subcommand that commands get as their editor. It fails at once, with [`NO_EDITOR_MESSAGE`].
pub(crate) const NO_EDITOR: &str = "no-editor";
/// The message of that subcommand.
pub(crate) const NO_EDITOR_MESSAGE: &str = "a command has no terminal, so it cannot open an editor. Pass the text as an \
     argument or in a file (git: -m or -F), or set the editor in the command: EDITOR=PROGRAM";

/// Parts of names of variables with secrets. Clients pass their own variables on to the server.
const SECRET_PARTS: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "PASSPHRASE"];

/// Words in names of variables with secrets. As parts they would also match names such as `PATH` and `GIT_AUTHOR_NAME`.
const SECRET_WORDS: [&str; 9] = ["PAT", "PASS", "PWD", "AUTH", "JWT", "COOKIE", "DSN", "SESSION", "PGPASS"];

/// Variables with such words that contain no secret. Shells, ssh and desktop programs need them.
const NO_SECRETS: &str = "PWD OLDPWD SSH_AUTH_SOCK DBUS_SESSION_BUS_ADDRESS DESKTOP_SESSION KDE_FULL_SESSION \
     KDE_SESSION_VERSION SESSION_MANAGER XDG_SESSION_CLASS XDG_SESSION_DESKTOP XDG_SESSION_ID XDG_SESSION_PATH \
     XDG_SESSION_TYPE";

/// The environment of commands: the variables of the server except those in `removed`, and those that cutline sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// The names of the variables that commands do not get.
    pub removed: Vec<OsString>,
}

impl Environment {
    /// Removes the variables that look like secrets by their name or value, except those named in `keep`.
    pub fn filtered(keep: &[String]) -> Self {
        Self { removed: secrets(std::env::vars_os(), keep) }
    }

    /// Returns all variables of a command. Those that cutline sets come last.
    pub(super) fn variables(&self) -> impl Iterator<Item = (OsString, OsString)> {
        // If a command started this server, the tag belongs to that command, and `_` is the last program of its shell.
        let inherited = std::env::vars_os()
            .filter(|(name, _)| name != TAG && name != "_" && !self.removed.contains(name))
            .filter(|(name, _)| is_inherited(name));
        let editors = EDITORS.map(|name| (name.into(), OsString::from(&*EDITOR)));
        inherited.chain(OWN.map(|(name, value)| (name.into(), value.into()))).chain(editors)
    }
}

/// The command line of this binary that fails instead of opening an editor. `false` if its path cannot be quoted.
static EDITOR: LazyLock<String> = LazyLock::new(|| {
    let binary = std::env::current_exe().ok().and_then(|path| path.into_os_string().into_string().ok());
    let quoted = binary.as_deref().and_then(|path| shlex::try_quote(path).ok());
    quoted.map_or_else(|| "false".to_owned(), |binary| format!("{binary} {NO_EDITOR}"))
});

/// Returns false for a variable that could let a program wait for a terminal, or that contradicts one of [`OWN`].
fn is_inherited(name: &OsStr) -> bool {
    let ends = |end: &&[u8]| name.as_encoded_bytes().ends_with(end);
    !NOT_INHERITED.iter().any(|known| name == *known) && !NOT_INHERITED_ENDS.iter().any(ends)
}

/// Returns the names of the variables that look like secrets and are not in `keep`.
fn secrets(variables: impl Iterator<Item = (OsString, OsString)>, keep: &[String]) -> Vec<OsString> {
    let is_kept = |name: &OsString| keep.iter().any(|kept| name == kept.as_str());
    let is_secret = |(name, value): &(OsString, OsString)| {
        !is_kept(name) && (is_secret_name(&name.to_string_lossy()) || has_password(&value.to_string_lossy()))
    };
    variables.filter(is_secret).map(|(name, _)| name).collect()
}

/// Returns true if the name of a variable indicates a secret.
fn is_secret_name(name: &str) -> bool {
    let upper = name.to_uppercase();
    let has_word = || upper.split('_').any(|word| SECRET_WORDS.contains(&word));
    !NO_SECRETS.split(' ').any(|name| name == upper)
        && (SECRET_PARTS.iter().any(|part| upper.contains(part)) || has_word())
}

/// Returns true if `value` has a URL with a password: `scheme://user:password@host`.
fn has_password(value: &str) -> bool {
    value.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let user_info = authority.rsplit_once('@').map(|(user_info, _)| user_info);
        user_info
            .and_then(|user_info| user_info.split_once(':'))
            .is_some_and(|(_, password)| !password.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns true if a variable is removed.
    fn is_removed(name: &str, value: &str) -> bool {
        !secrets([(name.into(), value.into())].into_iter(), &["NPM_TOKEN".to_owned()]).is_empty()
    }

    #[test]
    fn names_that_say_secret_are_removed() {
        for name in [
            "OPENAI_API_KEY",
            "gh_token",
            "PGPASSWORD",
            "AWS_SECRET_ACCESS_KEY",
            "Google_Credentials",
            "GITHUB_PAT",
            "PGPASS",
            "PGPASSFILE_PASS",
            "MYSQL_PWD",
            "NPM_AUTH",
            "DOCKER_AUTH_CONFIG",
            "SSH_PASSPHRASE",
            "JWT",
            "SESSION_COOKIE",
            "XDG_SESSION_COOKIE",
            "SENTRY_DSN",
            "session",
        ] {
            assert!(is_removed(name, "x"), "{name}");
        }
        for name in ["PATH", "HOME", "NPM_TOKEN", "GIT_AUTHOR_NAME", "COMPASS_DIR", "XAUTHORITY", "PASSENGER"]
        {
            assert!(!is_removed(name, "x"), "{name}");
        }
        for name in NO_SECRETS.split(' ') {
            assert!(!is_removed(name, "x"), "{name}");
        }
    }

    #[test]
    fn urls_with_passwords_are_removed() {
        for value in [
            "postgres://me:pw@host/db",
            "redis://:pw@host",
            "a=http://plain b=amqp://u:p:w@h:1/x",
            "https://me@mail:pw@host",
        ] {
            assert!(is_removed("DATABASE_URL", value), "{value}");
            assert!(is_removed("PWD", value), "{value}");
            assert!(!is_removed("NPM_TOKEN", value), "{value}");
        }
        for value in [
            "postgres://host/db",
            "postgres://me@host/db",
            "postgres://me:@host/db",
            "http://host:4873/@scope",
            "http://host:80?mail=a:b@c",
            "me:pw@host",
        ] {
            assert!(!is_removed("DATABASE_URL", value), "{value}");
        }
    }
}
