//! ls: listing a folder.
//!
//! One name a line, without regard to case, ties by bytes; folders, and links that lead to one inside
//! the roots, end with `/`.

use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::fs::listing::{Listing, Order};
use crate::fs::open::OpenedPath;
use crate::stop::Stopped;
use crate::sys::{self, FileKind};
use cutline_core::details::Details;
use cutline_core::text::{Extent, as_index, show};

use super::notice::{StoppedAt, Unit};
use super::page::{Group, Page, PageRequest};
use super::resolve::{self, ExpectedKind};
use super::{Context, Output, ToolError};

/// Bytes of names that the kernel returns at once.
const BUFFER_BYTES: usize = 64 * 1024;

/// The arguments of ls.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// Folder to list; default: the workspace
    pub path: Option<String>,
    /// Most entries to return; default 500
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Entries to skip
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
}

/// Does one call.
pub async fn run(cx: &Context, args: Args) -> Result<Output, ToolError> {
    cx.blocking(move |cx, _| list(cx, &args)).await
}

fn list(cx: &Context, args: &Args) -> Result<Output, ToolError> {
    let place = resolve::open(cx, args.path.as_deref().unwrap_or("."), ExpectedKind::Directory)?;
    let mut page = Page::new(cx, PageRequest::new(args.offset, args.limit, Unit::Entries, None)?);
    page.found = fill(cx, &place, &mut page)?;
    let is_counted = page.whole.is_none() && page.body.is_full() && page.stopped.is_none();
    let extent = is_counted.then(|| extent(cx, &place)).transpose()?;
    page.answer(extent, Vec::new(), Details::default())
}

/// Adds the entries of the folder to `page`, in order, until it is full. Returns the number of all.
fn fill(cx: &Context, place: &OpenedPath, page: &mut Page) -> Result<u64, ToolError> {
    let mut names = Listing::new(Order::IgnoringCase);
    let stopped = each_name(cx, place, |name, kind| names.push(name, kind, ()))?;
    let total = names.iter().len() as u64;
    page.stopped = (stopped == Some(Stopped::Late)).then_some(StoppedAt::Entries(total));
    let offset = as_index(page.request.offset);
    let (skip, wanted) = match page.whole {
        Some(_) => (0, usize::MAX),
        // A page is full with one more than its lines.
        None => (offset, offset.saturating_add(as_index(cx.limits.max_lines).saturating_add(1))),
    };
    names.sort(wanted);
    page.found = skip as u64;
    for (n, (name, kind)) in names.iter().enumerate().skip(skip) {
        // The target of each link is looked up, which takes a while.
        let is_cancelled = n.is_multiple_of(1024) && cx.cancel.is_cancelled();
        let is_full = page.whole.is_none() && page.body.is_full();
        if is_cancelled || is_full || page.take(|| Group::name(shown(cx, place, name, kind))).is_break() {
            break;
        }
    }
    Ok(total)
}

/// Passes each entry of the folder to `take`, in no order. Returns why it stopped before the last one, if it did.
fn each_name(
    cx: &Context,
    place: &OpenedPath,
    mut take: impl FnMut(&[u8], FileKind),
) -> Result<Option<Stopped>, ToolError> {
    let (stop, mut names, mut stopped) = (cx.stop(), 0_u64, None);
    let folder = resolve::folder(cx, place)?;
    let read = sys::each_name(&folder, &mut Vec::with_capacity(BUFFER_BYTES), |name, kind| {
        take(name, kind);
        names += 1;
        if names.is_multiple_of(1024) {
            stopped = stop.check().err();
        }
        if stopped.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    read.map_err(|source| ToolError::Io(cx.workspace.show(&place.real), source))?;
    Ok(stopped)
}

/// A name as it is listed: of a folder with `/`, also of a link to one inside the roots. Nothing is told of what is outside.
fn shown(cx: &Context, place: &OpenedPath, name: &[u8], kind: FileKind) -> String {
    let inside = || OpenedPath::open(&cx.workspace, &place.join(name));
    let slash = match kind {
        FileKind::Folder => "/",
        FileKind::Link if inside().is_ok_and(|place| place.stat.kind == FileKind::Folder) => "/",
        _ => "",
    };
    [&show::name(name), slash].concat()
}

/// The extent of the whole listing.
fn extent(cx: &Context, place: &OpenedPath) -> Result<Extent, ToolError> {
    let (mut lines, mut bytes) = (0, 0);
    each_name(cx, place, |name, kind| {
        lines += 1;
        bytes += shown(cx, place, name, kind).len() as u64 + 1;
    })?;
    Ok(Extent { lines, bytes: bytes.saturating_sub(1) })
}

#[cfg(test)]
mod tests;
