//! find: searching for files by name.
//!
//! Results come in path order, or the newest first, ties in path order; the same call on the same
//! tree gives the same bytes.

mod newest;
mod visit;

use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::fs::open::OpenedPath;
use crate::limits;
use crate::search::globs::Glob;
use crate::search::ignore_rules::Rules;
use crate::search::walk::Stop;
use cutline_core::details::{Details, Skipped};
use cutline_core::notice::{Answer, Names, Notice, Unit, empty};

use super::page::{Call, Page};
use super::resolve::{self, ExpectedKind};
use super::walk_support::{self, Paths};
use super::{Context, Output, ToolError};
use newest::Newest;
use visit::{Found, Named};

/// The arguments of find.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// Glob; without / it matches names at any depth, with one, paths below path
    pub pattern: String,
    /// Folder to search; default: the workspace
    pub path: Option<String>,
    /// Most results to return; default 1000
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Results to skip
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
    /// What to find; default file
    #[serde(rename = "type")]
    pub kind: Option<Kind>,
    /// Order: by path, or newest first
    pub sort: Option<Sort>,
    /// Also find ignored files
    pub no_ignore: Option<bool>,
}

/// What find looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum Kind {
    #[default]
    #[expect(missing_docs, reason = "a documented variant would not be a plain enum in the schema")]
    File,
    #[expect(missing_docs, reason = "as above")]
    Dir,
    #[expect(missing_docs, reason = "as above")]
    Any,
}

/// The order of find's results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum Sort {
    #[default]
    #[expect(missing_docs, reason = "a documented variant would not be a plain enum in the schema")]
    Path,
    #[expect(missing_docs, reason = "as above")]
    Modified,
}

/// What a call is to do.
#[derive(Debug)]
struct Plan {
    named: Named,
    call: Call,
    sort: Sort,
    no_ignore: bool,
}

/// Does one call.
pub async fn run(cx: &Context, args: Args) -> Result<Output, ToolError> {
    cx.blocking(move |cx| {
        let place = resolve::open(cx, args.path.as_deref().unwrap_or("."), ExpectedKind::Directory)?;
        let plan = plan(&args, &place)?;
        search(cx, &place, &plan)
    })
    .await
}

fn plan(args: &Args, place: &OpenedPath) -> Result<Plan, ToolError> {
    let glob = Glob::new(&args.pattern, &place.real)
        .map_err(|message| ToolError::Glob { glob: args.pattern.clone(), message })?;
    let sort = args.sort.unwrap_or_default();
    // A pattern that is of folders would find none among files.
    let asks_for_folders = glob.is_of_folders() && !args.pattern.starts_with('!');
    let kind = args.kind.unwrap_or(if asks_for_folders { Kind::Dir } else { Kind::default() });
    let call = Call {
        offset: args.offset.unwrap_or(0),
        limit: args.limit.unwrap_or(limits::FIND_LIMIT),
        unit: Unit::Results,
    };
    let no_ignore = args.no_ignore.unwrap_or(false);
    Ok(Plan { named: Named { glob, kind, sort }, call, sort, no_ignore })
}

fn search(cx: &Context, place: &OpenedPath, plan: &Plan) -> Result<Output, ToolError> {
    let rules = if plan.no_ignore { Rules::none() } else { Rules::above(&place.real) };
    let stop = Stop::new(cx.cancel.clone());
    let mut results = Results::new(cx, place, plan);
    let left_out = walk_support::walk(cx, place, &rules, &stop, &plan.named, |found| results.take(found))?;
    results.conclude(left_out)
}

/// Takes what is found, in path order.
struct Results<'a> {
    call: &'a Call,
    paths: Paths,
    newest: Option<Newest>,
    page: Page,
    found: u64,
    unreadable: Names,
}

impl<'a> Results<'a> {
    fn new(cx: &Context, place: &OpenedPath, plan: &'a Plan) -> Self {
        Self {
            call: &plan.call,
            paths: Paths::below(&cx.workspace, &place.real),
            newest: (plan.sort == Sort::Modified).then(|| Newest::new(plan.call.enough())),
            page: Page::new(cx.limits().bounds()),
            found: 0,
            unreadable: Names::default(),
        }
    }

    fn take(&mut self, found: Found) -> ControlFlow<()> {
        let (path, modified) = match found {
            Found::Unreadable(path) => {
                self.unreadable.push(&self.paths.show(&path));
                return ControlFlow::Continue(());
            }
            Found::Entry { path, modified } => (path, modified),
        };
        self.found += 1;
        match &mut self.newest {
            Some(newest) => newest.push(modified, path),
            None if self.found > self.call.offset => {
                if self.found >= self.call.enough() {
                    return ControlFlow::Break(());
                }
                self.page.push(&self.paths.show(&path));
            }
            None => {}
        }
        ControlFlow::Continue(())
    }

    fn conclude(mut self, ignored: bool) -> Result<Output, ToolError> {
        let call = self.call;
        let skipped = Skipped { unreadable: self.unreadable.count(), ..Skipped::default() };
        let mut details = Details { skipped: skipped.reported(), ..Details::default() };
        let unreadable = (!self.unreadable.is_empty()).then_some(Notice::Unreadable(self.unreadable));
        if self.found == 0 {
            let ignored = ignored.then_some(Notice::IgnoredNotSearched);
            let notices = unreadable.into_iter().chain(ignored).collect();
            let answer = Answer { body: empty::NO_FILES.to_owned(), notices, ..Answer::default() };
            return Ok(Output::new(answer, details));
        }
        if self.found <= call.offset {
            let (offset, total, unit) = (call.offset, self.found, call.unit);
            return Err(ToolError::OffsetBeyondLast { offset, total, unit });
        }
        for path in self.newest.into_iter().flat_map(|newest| newest.page(call.offset, call.limit)) {
            self.page.push(&self.paths.show(&path));
        }
        let more = self.found >= call.enough();
        let page = self.page.finish(call);
        details.result_limit_reached = (more && !page.is_cut()).then_some(call.limit);
        let (body, mut notices) = page.conclude(call, more, None, &mut details);
        if let Some(unreadable) = unreadable {
            // The one that says how to continue stays last.
            let leads_on = matches!(notices.last(), Some(Notice::Continue { .. }));
            notices.insert(notices.len() - usize::from(leads_on), unreadable);
        }
        Ok(Output::new(Answer { body, notices, ..Answer::default() }, details))
    }
}

#[cfg(test)]
mod tests;
