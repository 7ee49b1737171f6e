//! The forms of key lines, as a table. No form names a tool: many programs use each form.
//!
//! A [`Group`] has the literals that the scan searches for. A [`Form`] has the conditions on the text around a
//! literal, and the strength of the evidence. The strongest form of a line decides. docs/key-lines.md explains the grades as
//! forms 1 to 4.

use Edge::{
    Any, Code, Colon, End, Gap, Label, Level, LineStart, NonZero, Raised, Start, Text, Type, Where, Word,
};
use Grade::{Message, Strong, Weak};

/// The strength of the evidence that a line reports a failure, the strongest first: a better grade is a lower value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Grade {
    /// It has the structure of a failure report, such as `error: …` or `not ok 3`, or a message begins after a location that
    /// has a column or begins the line.
    Strong,
    /// It has a phrase of a failure, such as `not found`, or another location before a text.
    Message,
    /// It has a word such as `error`.
    Weak,
    /// It is a warning, or a location without a message. Such lines are shown only if there are no others.
    Faint,
}

/// Literals, and the forms that contain one of them.
#[derive(Debug)]
pub(crate) struct Group {
    /// The literals, as the scan searches for them.
    pub(crate) literals: &'static [&'static str],
    /// The forms, the strongest first.
    pub(crate) forms: &'static [Form],
}

/// A text, with conditions on the text before and after it.
#[derive(Debug)]
pub(crate) struct Form {
    /// The text, in lower case if `any_case`.
    pub(crate) text: &'static str,
    /// True if the text may also be capitalised or in upper case.
    pub(crate) any_case: bool,
    /// The condition on the text before it.
    pub(crate) before: Edge,
    /// The condition on the text after it.
    pub(crate) after: Edge,
    /// The strength of the evidence.
    pub(crate) grade: Grade,
}

/// A condition on the text before or after a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edge {
    /// Anything.
    Any,
    /// No part of the same word, identifier, path or flag.
    Word,
    /// Before it: the start of a line without white space.
    LineStart,
    /// Before it: the start of the line or of a message, as after `main.c:3: `, `[12:30:01] ` or `| `.
    Start,
    /// Before it: the name of a log level, as in `level=error` or `"severity": "error"`.
    Level,
    /// Before it: the start of a word that begins a message, as in `a.py:3: ValueError`.
    Type,
    /// Before it: at most one word of a message, as in `Parse error near line 3`.
    Label,
    /// After it: `:` (but not `::`), `!` (but not `!(`), `[`, `]`, ` [`, ` - `, or a number as in ` -5` or ` (98: …)`.
    Colon,
    /// After it: a code, as in `error TS2304: `.
    Code,
    /// Before it: `(` and the start of a word. After it: `)` and the end of the line, as in `no key (KeyError)`.
    Raised,
    /// After it: a number other than 0, but not `1 is` or `1 means`.
    NonZero,
    /// After it: two spaces or a tab, as in a table without lines.
    Gap,
    /// After it: the end of the line.
    End,
    /// After it: a space, a quote, `:` or `[`, and a word.
    Text,
    /// After it: ` at`, ` in`, ` near`, ` on`, ` while`, ` during` or ` from`.
    Where,
}

const fn any(text: &'static str, before: Edge, after: Edge, grade: Grade) -> Form {
    Form { text, any_case: true, before, after, grade }
}

const fn exact(text: &'static str, before: Edge, after: Edge, grade: Grade) -> Form {
    Form { text, any_case: false, before, after, grade }
}

/// The table. A literal has at least four bytes, because the scan is several times slower with shorter ones. There are at
/// most 64, because the search for more takes two passes.
pub(crate) static GROUPS: &[Group] = &[
    Group {
        literals: &["rror", "RROR"],
        forms: &[
            any("error", Word, Colon, Strong),
            any("error", Start, Code, Strong),
            any("error", Start, Gap, Strong),
            exact("Error response from", Start, Any, Strong),
            any("error", Label, Where, Strong),
            any("error", Level, Word, Strong),
            exact("ERROR", Word, Word, Strong),
            exact("Error", Type, Colon, Strong),
            exact("Error", Raised, Raised, Strong),
            any("syntax error", Word, Word, Strong),
            any("bus error", Word, Word, Strong),
            any("input/output error", Word, Word, Strong),
            any("error", Word, Word, Weak),
            any("errors", Word, Word, Weak),
        ],
    },
    Group {
        literals: &["xcepti"],
        forms: &[
            any("exception", Word, Colon, Strong),
            any("exception", Start, Where, Strong),
            exact("Exception", Type, Colon, Strong),
            exact("Floating point exception", Word, Word, Strong),
            any("exception", Word, Word, Weak),
        ],
    },
    Group {
        literals: &["fail", "Fail", "FAIL"],
        forms: &[
            exact("FAIL", Word, Word, Strong),
            exact("FAILED", Word, Word, Strong),
            exact("FAILURE", Word, Word, Strong),
            any("failed", Start, Text, Strong),
            any("failed", Start, End, Strong),
            any("failed", Word, Colon, Strong),
            any("failure", Start, End, Strong),
            any("failure", Word, Colon, Strong),
            any("assertion failed", Word, Word, Strong),
            any("failing", Word, Word, Message),
            any("failed", Word, Word, Message),
            any("failure", Word, Word, Message),
            any("failures", Word, Word, Message),
            any("fails", Word, Word, Message),
            any("fail", Word, Word, Message),
        ],
    },
    Group {
        literals: &["atal", "ATAL"],
        forms: &[
            any("fatal", Start, Word, Strong),
            any("fatal", Word, Colon, Strong),
            any("fatal error", Word, Colon, Strong),
            any("fatal", Level, Word, Strong),
            exact("FATAL", Word, Word, Strong),
            any("fatal", Word, Word, Message),
        ],
    },
    Group {
        literals: &["anic"],
        forms: &[
            any("panic", Word, Colon, Strong),
            any("panicked", Word, Where, Strong),
            any("panic", Level, Word, Strong),
            any("panic", Word, Word, Weak),
        ],
    },
    Group {
        literals: &["sserti"],
        forms: &[any("assertion", Start, Word, Strong), any("assertion", Word, Word, Message)],
    },
    Group {
        literals: &["RITICAL", "SEVERE"],
        forms: &[exact("CRITICAL", Word, Word, Strong), exact("SEVERE", Word, Word, Strong)],
    },
    Group { literals: &["raceback"], forms: &[any("traceback", Word, Any, Weak)] },
    Group {
        literals: &["✗ ", "✘ ", "✖ ", "✕ ", "❌ ", " × "],
        forms: &[
            exact("✗ ", Start, Any, Strong),
            exact("✘ ", Start, Any, Strong),
            exact("✖ ", Start, Any, Strong),
            exact("✕ ", Start, Any, Strong),
            exact("❌ ", Any, Any, Strong),
            exact(" × ", LineStart, Any, Strong),
            exact("× ", Start, Any, Strong),
        ],
    },
    Group { literals: &["E   "], forms: &[exact("E   ", LineStart, Any, Strong)] },
    Group {
        literals: &["*** "],
        forms: &[exact("*** [", Start, Any, Strong), exact("*** ", Start, Any, Message)],
    },
    Group {
        literals: &["ndefined "],
        forms: &[
            any("undefined reference", Any, Any, Strong),
            any("undefined symbol", Any, Any, Strong),
            any("undefined", Word, Word, Message),
        ],
    },
    Group {
        literals: &["onflict", "ONFLICT"],
        forms: &[
            exact("CONFLICT", Word, Word, Strong),
            any("conflict", Start, Colon, Strong),
            any("conflict", Word, Word, Message),
            any("conflicts", Word, Word, Message),
        ],
    },
    Group {
        literals: &["annot "],
        forms: &[any("cannot", Start, Any, Strong), any("cannot", Word, Any, Message)],
    },
    Group {
        literals: &["n't "],
        forms: &[
            any("can't", Start, Any, Strong),
            any("couldn't", Start, Any, Strong),
            any("can't", Word, Any, Message),
            any("couldn't", Word, Any, Message),
            any("doesn't", Word, Any, Message),
            any("didn't", Word, Any, Message),
        ],
    },
    Group {
        // "not ok" may be at the start of a line, without a space before it.
        literals: &[" not ", "not ok "],
        forms: &[
            exact("not ok ", Start, Any, Strong),
            any("could not", Start, Any, Strong),
            any("command not found", Any, Any, Strong),
            any("not permitted", Word, Word, Strong),
            any("could not", Word, Any, Message),
            any("does not", Word, Any, Message),
            any("did not", Word, Any, Message),
            any("is not", Word, Any, Message),
            any("not found", Word, Word, Message),
            any("not known", Word, Word, Message),
        ],
    },
    Group {
        literals: &["nable to"],
        forms: &[any("unable to", Start, Any, Strong), any("unable to", Word, Any, Message)],
    },
    Group {
        literals: &["nvalid"],
        forms: &[
            any("invalid", Start, Word, Strong),
            any("invalid-", Start, Any, Strong),
            any("invalid", Word, Word, Message),
        ],
    },
    Group {
        literals: &["xpect"],
        forms: &[
            any("unexpected", Start, Word, Strong),
            any("expecting", Start, Text, Strong),
            any("expecting", Word, Word, Message),
            any("unexpected", Word, Word, Message),
            any("expected", Word, Word, Message),
        ],
    },
    Group {
        literals: &["enied", "efused"],
        forms: &[
            exact("Permission denied", Any, Any, Strong),
            exact("Access denied", Any, Any, Strong),
            exact("Connection refused", Any, Any, Strong),
            any("permission denied", Start, Any, Strong),
            any("access denied", Start, Any, Strong),
            any("connection refused", Start, Any, Strong),
            any("denied", Start, Text, Strong),
            any("refused", Start, Text, Strong),
            any("denied", Word, Word, Message),
            any("refused", Word, Word, Message),
        ],
    },
    Group {
        literals: &["o such ", "a direct", "pace left"],
        forms: &[
            any("no such", Start, Any, Strong),
            exact("No such", Word, Any, Strong),
            any("not a directory", Start, Word, Strong),
            any("is a directory", Start, Word, Strong),
            any("no such", Word, Any, Message),
            any("not a directory", Word, Word, Message),
            any("is a directory", Word, Word, Message),
            any("no space left", Word, Word, Strong),
        ],
    },
    Group {
        literals: &["aused by"],
        forms: &[any("caused by", Start, Any, Strong), any("caused by", Word, Colon, Message)],
    },
    Group { literals: &["imed out"], forms: &[any("timed out", Word, Word, Message)] },
    Group { literals: &["egmentation "], forms: &[any("segmentation fault", Word, Word, Strong)] },
    Group {
        literals: &["nknown"],
        forms: &[any("unknown", Start, Text, Strong), any("unknown", Word, Word, Message)],
    },
    Group {
        literals: &["issing"],
        forms: &[any("missing", Start, Text, Strong), any("missing", Word, Word, Message)],
    },
    Group {
        literals: &["nrecognized", "nsupported", "llegal", "terminated", "bad ", "nresolved"],
        forms: &[
            any("unrecognized", Start, Text, Strong),
            any("unrecognized", Word, Word, Message),
            any("unsupported", Start, Text, Strong),
            any("unsupported", Word, Word, Message),
            any("illegal", Start, Text, Strong),
            any("illegal", Word, Word, Message),
            any("unterminated", Word, Word, Message),
            any(": bad ", Any, Any, Strong),
            any("bad", Word, Word, Message),
            any("unresolved", Word, Word, Message),
        ],
    },
    Group {
        literals: &["nhandled ", "ncaught "],
        forms: &[
            any("unhandled", Start, Word, Strong),
            any("uncaught", Start, Word, Strong),
            any("unhandled", Word, Word, Message),
            any("uncaught", Word, Word, Message),
        ],
    },
    Group { literals: &["Killed"], forms: &[exact("Killed", Word, Word, Strong)] },
    Group {
        literals: &["bort"],
        forms: &[
            any("abort", Start, Colon, Strong),
            any("aborted", Start, Word, Strong),
            any("aborting", Start, Word, Strong),
            any("abort", Word, Colon, Message),
            any("aborted", Word, Word, Message),
            any("aborting", Word, Word, Message),
        ],
    },
    Group {
        literals: &["xit code ", "xit status ", "ith code "],
        forms: &[
            any("exit code", Word, NonZero, Strong),
            any("exit status", Word, NonZero, Strong),
            any("with code", Word, NonZero, Strong),
        ],
    },
    Group {
        literals: &["ismatch", "ejected", " by zero", "ust be ", "has no ", "ut of ", "xceed", "rong "],
        forms: &[
            any("out of memory", Start, Word, Strong),
            any("out of memory", Word, Word, Message),
            any("out of range", Word, Word, Message),
            any("out of bounds", Word, Word, Message),
            any("mismatch", Word, Word, Message),
            any("mismatched", Word, Word, Message),
            any("rejected", Start, Text, Strong),
            any("rejected", Word, Word, Message),
            any("by zero", Word, Word, Message),
            any("must be", Word, Word, Message),
            any("has no", Word, Word, Message),
            any("exceeded", Word, Word, Message),
            any("exceeds", Word, Word, Message),
            any("wrong", Word, Word, Message),
        ],
    },
    // This has no form of its own. It locates the message before it.
    Group { literals: &["--> "], forms: &[] },
];
