//! How far a search or a listing got before its deadline.

use derive_more::Display;

use super::Unit;
use cutline_core::notice::Count;
use cutline_core::text::show;

/// The part of a search or a listing that was complete at its deadline.
///
/// ```
/// use cutline::tools::notice::{StoppedAt, Unit};
/// let at = StoppedAt::Path { path: Some("src/a.rs".to_owned()), found: true, has_later: false, unit: Unit::Matches };
/// assert_eq!(at.to_string(), "searched up to src/a.rs. Narrow path or glob");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Display)]
pub enum StoppedAt {
    /// The search of a tree.
    #[display("{}", up_to(path.as_deref(), *found, *has_later, *unit))]
    Path {
        /// Everything up to this path was searched. `None` if nothing was searched completely.
        path: Option<String>,
        /// True if anything was found.
        found: bool,
        /// True if results of later paths are included.
        has_later: bool,
        /// The kind of the results.
        unit: Unit,
    },
    /// The search of one file.
    #[display("{}", if *found {
        format!("{} was searched in part", show::path(path))
    } else {
        format!("found nothing in the part of {} that was searched", show::path(path))
    })]
    File {
        /// The path of the file.
        path: String,
        /// True if anything was found.
        found: bool,
    },
    /// A listing, and the number of entries that were read.
    #[display("read {}, others are missing", Count(*_0, "entry", "entries"))]
    Entries(u64),
}

fn up_to(path: Option<&str>, found: bool, has_later: bool, unit: Unit) -> String {
    let narrow = if unit == Unit::Results { "pattern" } else { "glob" };
    let reached = match path.map(show::path) {
        None => "no path was searched completely".to_owned(),
        Some(path) if !found => format!("found nothing up to {path}"),
        Some(path) if has_later => format!("searched up to {path}, and later paths in part"),
        Some(path) => format!("searched up to {path}"),
    };
    format!("{reached}. Narrow path or {narrow}")
}
