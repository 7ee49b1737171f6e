//! ls: lists a directory, a file, or the matches of a glob in the last component of the path.
//!
//! Each line has one name. Names are sorted without case; ties are sorted by bytes. Directories, and links to
//! directories inside the roots, end with `/`. `long` adds the size in bytes and the modification time in UTC.

use std::ops::ControlFlow;
use std::time::{Duration, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::fs::listing::{Listing, Order};
use crate::fs::open::OpenedPath;
use crate::search::globs::{Glob, has_wildcard, none_excludes};
use crate::stop::Stopped;
use crate::sys::{self, FileKind, Folder, Stat, below};
use cutline_core::notice::{StoppedAt, Unit};
use cutline_core::text::{Extent, Total, as_index, show};

use super::notice::empty;
use super::page::{Page, PageRequest};
use super::resolve::{self, ExpectedKind};
use super::{Context, Output, ToolError, ToolName, path_glob};

/// Size in bytes of the buffer for names from the kernel.
const BUFFER_BYTES: usize = 64 * 1024;

/// Number of entries between two checks for cancellation.
const CHECK_ENTRIES: usize = 1024;

/// The last second of the year 9999, in seconds since 1970. RFC 3339 cannot represent later times.
const LAST_SECOND: u64 = 253_402_300_799;

/// The text for an unknown or inapplicable size or time.
const NO_VALUE: &str = "-";

/// The arguments of ls.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LsArgs {
    /// Folder, file or glob such as src/*.rs; default: the workspace
    pub path: Option<String>,
    /// Show size in bytes and modification time (UTC)
    pub long: Option<bool>,
    /// Most entries; default 500
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Entries to skip
    pub offset: Option<u64>,
    /// Globs of entries to omit
    #[schemars(with = "Option<String>", extend("x-list" = true, "x-unlisted" = true))]
    pub exclude: Option<Vec<String>>,
}

/// Runs one call.
pub async fn run(cx: &Context, args: LsArgs) -> Result<Output, ToolError> {
    cx.blocking(move |cx| list(cx, &args)).await
}

fn list(cx: &Context, args: &LsArgs) -> Result<Output, ToolError> {
    let asked = args.path.as_deref().unwrap_or(".");
    let long = args.long.unwrap_or(false);
    let mut page = Page::new(cx, PageRequest::new(args.offset, args.limit, Unit::Entries, None)?);
    let (place, only) = match resolve::open(cx, asked, ExpectedKind::Entry) {
        Ok(place) if place.stat.kind != FileKind::Folder => {
            let line = line(long, Some(&place.stat), &cx.workspace.show(&place.asked));
            page.take(|| line.clone());
            return page.into_output(cx, None);
        }
        Ok(place) => (place, None),
        Err(missing @ ToolError::NotFound { .. }) => {
            let Some((folder, glob)) = path_glob::split_last(asked) else { return Err(missing) };
            let place = resolve::open(cx, folder, ExpectedKind::Directory);
            // A folder can have brackets in its name.
            if !path_glob::is_listed(asked) && (place.is_err() || glob.contains("**")) {
                let (path, find) = (asked.to_owned(), cx.has(ToolName::Find));
                return Err(ToolError::GlobInFolder { path, find });
            }
            let place = place?;
            if !has_wildcard(glob) {
                return Err(missing);
            }
            let glob = path_glob::compile(cx, glob, glob, &place, false)?;
            (place, Some(glob))
        }
        Err(error) => return Err(error),
    };
    if only.is_some() || args.exclude.is_some() {
        page.none = empty::NO_FILES;
    }
    let lister = Lister {
        cx,
        folder: resolve::folder(cx, &place)?,
        long,
        exclude: path_glob::exclusions(cx, args.exclude.as_ref(), &place)?,
        only,
        place,
    };
    let extent = lister.fill(&mut page)?;
    page.into_output(cx, extent)
}

/// A listing of a directory.
struct Lister<'a> {
    cx: &'a Context,
    place: OpenedPath,
    folder: Folder,
    long: bool,
    /// The glob for the entries to list, if the call has one. They are then shown with the path of the directory.
    only: Option<Glob>,
    /// Negated globs. An entry that one of them excludes is omitted.
    exclude: Vec<Glob>,
}

impl Lister<'_> {
    /// Adds entries to `page` in order until it is full. Returns the extent of all entries if a limit truncated the
    /// page.
    fn fill(self, page: &mut Page) -> Result<Option<Extent>, ToolError> {
        let (mut names, stopped) = self.names()?;
        let total = names.iter().len() as u64;
        page.stopped = stopped.map(|_late| StoppedAt::Entries(total));
        let offset = as_index(page.request.offset);
        let (skip, wanted) = match page.saved_result {
            Some(_) => (0, usize::MAX),
            // One entry more than the maximum number of lines fills the page.
            None => (offset, offset.saturating_add(as_index(self.cx.limits.max_lines).saturating_add(1))),
        };
        names.sort(wanted);
        page.found = skip as u64;
        for (n, (name, kind)) in names.iter().enumerate().skip(skip) {
            // Resolving the target of each link takes time.
            let is_cancelled = n.is_multiple_of(CHECK_ENTRIES) && self.cx.cancel.is_cancelled();
            let is_full = page.saved_result.is_none() && page.body.is_full();
            if is_cancelled || is_full || page.is_done() {
                break;
            }
            page.take(|| self.shown(name, kind));
        }
        page.found = total;
        page.in_all.count = Total::Exact(total);
        let is_counted = page.saved_result.is_none() && page.body.is_full() && page.stopped.is_none();
        Ok(is_counted.then(|| {
            let lines = names.iter().take_while(|_| !self.cx.cancel.is_cancelled());
            let bytes: u64 = lines.map(|(name, kind)| self.shown(name, kind).len() as u64 + 1).sum();
            Extent { lines: total, bytes: bytes.saturating_sub(1) }
        }))
    }

    /// Returns the names of the entries to list, in no particular order, and whether the listing stopped at the
    /// deadline.
    fn names(&self) -> Result<(Listing<()>, Option<Stopped>), ToolError> {
        let (stop, mut count, mut stopped) = (self.cx.stop(), 0_usize, None);
        let mut names = Listing::new(Order::IgnoringCase);
        let read = sys::each_name(&self.folder, &mut Vec::with_capacity(BUFFER_BYTES), |name, kind| {
            if self.lists(name, kind) {
                names.push(name, kind, ());
            }
            count += 1;
            if count.is_multiple_of(CHECK_ENTRIES) {
                stopped = stop.check().err();
            }
            if stopped.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        read.map_err(|error| resolve::unreadable(self.cx, &self.place, error))?;
        Ok((names, stopped.filter(|stopped| *stopped == Stopped::Late)))
    }

    fn lists(&self, name: &[u8], kind: FileKind) -> bool {
        let is_folder = kind == FileKind::Folder;
        self.only.as_ref().is_none_or(|glob| glob.selects(name, is_folder))
            && none_excludes(&self.exclude, name, is_folder)
    }

    /// Formats an entry. Shows nothing about the target of a link outside the roots.
    fn shown(&self, name: &[u8], kind: FileKind) -> String {
        let opened = || OpenedPath::open(&self.cx.workspace, &self.place.join(name)).ok();
        // A path through long links takes milliseconds.
        let is_followed = kind == FileKind::Link && self.cx.stop().check().is_ok();
        let target = is_followed.then(opened).flatten().map(|target| target.stat);
        let is_folder = target.map_or(kind, |target| target.kind) == FileKind::Folder;
        let shown = match &self.only {
            Some(_) => self.cx.workspace.show_below(&self.place.asked, name),
            None => show::name(name).into_owned(),
        };
        let shown = if is_folder { shown + "/" } else { shown };
        let stat = if self.long { target.or_else(|| below::stat(&self.folder, name).ok()) } else { None };
        line(self.long, stat.as_ref(), &shown)
    }
}

/// Formats an entry. If `long`, size in bytes and modification time precede the name. Only regular files have a size.
fn line(long: bool, stat: Option<&Stat>, name: &str) -> String {
    if !long {
        return name.to_owned();
    }
    let size = stat.filter(|stat| stat.kind == FileKind::File).map(|stat| stat.bytes.to_string());
    let time = stat.map(|stat| {
        let seconds = u64::try_from(stat.modified.div_euclid(1_000_000_000)).unwrap_or(0).min(LAST_SECOND);
        humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(seconds)).to_string()
    });
    let [size, time] = [size, time].map(|value| value.unwrap_or_else(|| NO_VALUE.to_owned()));
    format!("{size} {time} {name}")
}

#[cfg(test)]
mod tests;
