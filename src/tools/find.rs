//! find: searching for files by name.
//!
//! Results come in path order, the newest first, or those first that answer best to the words of the pattern, ties
//! in path order; the same call on the same tree gives the same bytes.

use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::fs::open::OpenedPath;
use crate::fs::saved_name::SavedKind;
use crate::limits;
use crate::search::best::Best;
use crate::search::names::{self, Found, Kinds, Query, Wanted};
use crate::search::walk::Walked;
use cutline_core::details::Details;
use cutline_core::notice::Unit;
use cutline_core::text::{as_index, show};

use super::page::{Line, Page, PageRequest, Sort};
use super::resolve::{self, ExpectedKind};
use super::walk_support::{self, Aside, Paths};
use super::{Context, Output, ToolError, path_glob};

/// The arguments of find.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// Glob; without / it matches names at any depth, with one, paths below path. By relevance: words
    pub pattern: String,
    /// Folder to search; default: the workspace
    pub path: Option<String>,
    /// Most results to return; default 1000, by relevance 20
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Results to skip
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
    /// The kind of the entries.
    #[schemars(description = "What to find: file (the default), dir or any")]
    #[serde(rename = "type")]
    pub kind: Option<Kind>,
    /// Order: path (the default), modified: newest first, or relevance: best answers to words first
    pub sort: Option<Sort>,
    /// Also find ignored files
    pub no_ignore: Option<bool>,
}

/// Kind of the entries that find looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[expect(missing_docs, reason = "a documented variant would not be a plain enum in the schema")]
pub enum Kind {
    #[default]
    File,
    Dir,
    Any,
}

/// A call, checked.
#[derive(Debug)]
struct Plan {
    query: Query,
    request: PageRequest,
    no_ignore: bool,
}

/// Does one call.
pub async fn run(cx: &Context, args: Args) -> Result<Output, ToolError> {
    cx.blocking(move |cx| {
        let place = resolve::open(cx, args.path.as_deref().unwrap_or("."), ExpectedKind::Directory)?;
        let plan = plan(cx, &args, &place)?;
        let walk = walk_support::walk(cx, &place, plan.no_ignore)?;
        let mut results = Results::new(cx, &place, &plan);
        names::tree(&walk, &plan.query, results.only_counted(), |found| results.take(found));
        if cx.cancel.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        results.conclude(walk.rules.ignored_any())
    })
    .await
}

fn plan(cx: &Context, args: &Args, place: &OpenedPath) -> Result<Plan, ToolError> {
    let sort = args.sort.unwrap_or_default();
    let names = if sort == Sort::Relevance {
        Wanted::Words(words(&args.pattern)?)
    } else {
        let glob = path_glob::compile(cx, &args.pattern, place)?;
        if sort == Sort::Modified { Wanted::GlobByTime(glob) } else { Wanted::Glob(glob) }
    };
    // A pattern that is of folders would find none among files.
    let asks_for_folders = match &names {
        Wanted::Glob(glob) | Wanted::GlobByTime(glob) => {
            glob.is_of_folders() && !args.pattern.starts_with('!')
        }
        Wanted::Words(_) => false,
    };
    let kinds = match args.kind {
        Some(Kind::Dir) => Kinds::Folders,
        Some(Kind::Any) => Kinds::All,
        None if asks_for_folders => Kinds::Folders,
        Some(Kind::File) | None => Kinds::Files,
    };
    let ranked = (sort == Sort::Relevance).then_some(0);
    let request = PageRequest::new(args.offset, args.limit, Unit::Results, ranked)?;
    Ok(Plan { query: Query { names, kinds }, request, no_ignore: args.no_ignore.unwrap_or(false) })
}

/// The words of a pattern that is no glob.
fn words(pattern: &str) -> Result<String, ToolError> {
    if pattern.len() > limits::GLOB_BYTES {
        let (most, given) = (limits::GLOB_BYTES, pattern.len());
        return Err(ToolError::Argument(format!("pattern: must be at most {most} bytes, got {given}")));
    }
    if pattern.trim().is_empty() || pattern.contains(['*', '?', '[', ']', '{', '}', '!']) {
        let given = show::name(pattern.as_bytes());
        return Err(ToolError::Argument(format!(
            "pattern: must be words without wildcards with sort=relevance, got \"{given}\""
        )));
    }
    Ok(pattern.to_owned())
}

/// Takes what is found, in path order.
struct Results {
    paths: Paths,
    /// Those to show, where they are sorted by something else than their paths.
    best: Option<Best<i128, Vec<u8>>>,
    page: Page,
    aside: Aside,
}

impl Results {
    fn new(cx: &Context, place: &OpenedPath, plan: &Plan) -> Self {
        let is_sorted = !matches!(plan.query.names, Wanted::Glob(_));
        // A ranking is not saved: its pages are all in reach.
        let is_ranked = matches!(plan.query.names, Wanted::Words(_));
        Self {
            paths: Paths::below(&cx.workspace, &place.real),
            best: is_sorted.then(|| Best::new(as_index(plan.request.kept()))),
            page: Page::new(cx, plan.request, (!is_ranked).then_some(SavedKind::FIND)),
            aside: Aside::default(),
        }
    }

    /// The number of results at the start of which only the number matters.
    fn only_counted(&self) -> u64 {
        let is_in_path_order = self.best.is_none();
        if is_in_path_order && self.page.whole.is_none() { self.page.request.offset } else { 0 }
    }

    fn take(&mut self, walked: Walked<Found>) -> ControlFlow<()> {
        if let Walked::Counted(results) = walked {
            self.page.found += results;
        }
        let Some(Found { path, key }) = self.aside.take(walked, &self.paths) else {
            return ControlFlow::Continue(());
        };
        let line = || Line::name(self.paths.show(&path));
        self.page.count(line);
        let Some(best) = &mut self.best else { return self.page.show(line) };
        best.push(key, path);
        ControlFlow::Continue(())
    }

    /// The answer; `ignored` is true if rules left anything out.
    fn conclude(mut self, ignored: bool) -> Result<Output, ToolError> {
        let skipped = as_index(self.page.request.offset);
        for (_, path) in self.best.into_iter().flat_map(|best| best.into_sorted().skip(skipped)) {
            self.page.body.line(Line::name(self.paths.show(&path)));
        }
        let mut details = Details::default();
        let about = self.aside.notices(ignored && self.page.found == 0, &mut details);
        self.page.answer(None, about.collect(), details)
    }
}

#[cfg(test)]
mod tests;
