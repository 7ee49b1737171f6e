//! ls: listing a folder.
//!
//! One name a line, without regard to case, ties by bytes; folders, and links that lead to one inside
//! the roots, end with `/`.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::fs::folder::EntryKind;
use crate::fs::listing::{ListPage, ListedNames};
use crate::fs::open::{Kind, OpenError, OpenedPath};
use crate::limits;
use cutline_core::details::Details;
use cutline_core::notice::{Answer, Unit, empty};
use cutline_core::text::{Extent, show};

use super::page::{Call, Page};
use super::resolve::{self, ExpectedKind};
use super::{Context, Output, ToolError};

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
    cx.blocking(move |cx| {
        let place = resolve::open(cx, args.path.as_deref().unwrap_or("."), ExpectedKind::Directory)?;
        let call = Call {
            offset: args.offset.unwrap_or(0),
            limit: args.limit.unwrap_or(limits::LS_LIMIT),
            unit: Unit::Entries,
        };
        list(cx, &place, &call)
    })
    .await
}

fn list(cx: &Context, place: &OpenedPath, call: &Call) -> Result<Output, ToolError> {
    let refused = |error| resolve::refused(cx, &place.real.to_string_lossy(), error);
    let folder = place.folder().map_err(refused)?;
    let asked = ListPage { offset: call.offset, limit: call.limit };
    let read = ListedNames::read(&folder, &asked, || cx.cancel.is_cancelled());
    let names = read.map_err(|error| refused(OpenError::Other(error)))?;
    if cx.cancel.is_cancelled() {
        return Err(ToolError::Cancelled);
    }
    let total = names.len();
    if total == 0 {
        let answer = Answer { body: empty::NO_ENTRIES.to_owned(), ..Answer::default() };
        return Ok(Output::new(answer, Details::default()));
    }
    if call.offset >= total {
        return Err(ToolError::OffsetBeyondLast { offset: call.offset, total, unit: call.unit });
    }
    let mut page = Page::new(cx.limits().bounds());
    for (name, kind) in names.asked() {
        page.push(&shown(cx, place, name, kind));
        if page.is_full() {
            break;
        }
    }
    let page = page.finish(call);
    let more = total - call.offset > call.limit;
    let whole = page.is_cut().then(|| extent(cx, place, &names));
    let cut = whole.is_some() || more;
    let limit = (more && whole.is_none()).then_some(call.limit);
    let total_entries = cut.then_some(total);
    let mut details = Details { entry_limit_reached: limit, total_entries, ..Details::default() };
    let (body, notices) = page.conclude(call, more, whole, &mut details);
    Ok(Output::new(Answer { body, notices, ..Answer::default() }, details))
}

/// A name as it is listed.
fn shown(cx: &Context, place: &OpenedPath, name: &[u8], kind: EntryKind) -> String {
    let slash = if leads_to_folder(cx, place, name, kind) { "/" } else { "" };
    [&show::name(name), slash].concat()
}

/// Whether an entry is a folder, or a link to one inside the roots; of what is outside nothing is told.
fn leads_to_folder(cx: &Context, place: &OpenedPath, name: &[u8], kind: EntryKind) -> bool {
    let inside = || OpenedPath::open(&cx.workspace, &place.join(name));
    match kind {
        EntryKind::Folder => true,
        EntryKind::Link => inside().is_ok_and(|place| place.kind == Kind::Directory),
        EntryKind::File | EntryKind::Other => false,
    }
}

/// What the whole listing would be.
fn extent(cx: &Context, place: &OpenedPath, names: &ListedNames) -> Extent {
    let bytes = |(name, kind): (&[u8], EntryKind)| {
        let slash = u64::from(leads_to_folder(cx, place, name, kind));
        show::name(name).len() as u64 + slash + 1
    };
    let all: u64 = names.iter().map(bytes).sum();
    Extent { lines: names.len(), bytes: all.saturating_sub(1) }
}

#[cfg(test)]
mod tests;
