//! The definitions around matches, as in `git grep --show-function`.

use std::collections::VecDeque;

use crate::fs::lines::first_bytes;
use crate::fs::open::{FileKind, OpenedPath};
use crate::limits::FUNCTION_FILE_BYTES;
use crate::search::content::{Row, RowKind};
use crate::tools::Context;
use crate::tools::page::Group;
use cutline_core::outline::{DefinitionLine, Language, around};
use cutline_core::text::as_index;
use cutline_core::truncate::line::cut;

/// Maximum characters of the line of a definition.
const LINE_CHARS: usize = 200;

/// Adds the lines of the definitions around the matches in `groups`, which are in one file. A line is added once for
/// consecutive matches in the same definition, and not if it is already in the lines of the match or of the previous one.
pub(super) fn add(cx: &Context, groups: &mut [Group]) {
    let path = groups.first().map_or("", |group| &group.path);
    let Some(language) = Language::of_path(path) else { return };
    let Some(text) = text(cx, path) else { return };
    let matched = groups.iter().flat_map(|group| &group.rows).filter(|row| row.kind == RowKind::Match);
    let lines: Vec<u64> = matched.map(|row| row.number).collect();
    let stop = cx.stop();
    // The matches are shown without the definitions if there is no time for all of a file.
    let Some(all) = around(&text, &lines, language, || stop.check().is_err()) else { return };
    let (mut shown, mut previous) = ([None, None], Vec::new());
    for (group, around) in groups.iter_mut().zip(all) {
        let numbers: Vec<u64> = group.rows.iter().map(|row| row.number).collect();
        let mut rows = VecDeque::new();
        for (shown, definition) in shown.iter_mut().zip([around.container, around.function]) {
            let line = definition.map(|definition| definition.line);
            let is_in_rows = |line: &u64| numbers.contains(line) || previous.contains(line);
            let is_new = *shown != line && !line.as_ref().is_some_and(is_in_rows);
            *shown = line;
            rows.extend(definition.filter(|_| is_new).map(row));
        }
        previous = numbers;
        rows.append(&mut group.rows);
        group.rows = rows;
    }
}

fn row(DefinitionLine { line, text }: DefinitionLine<'_>) -> Row {
    let text = String::from_utf8_lossy(text);
    let text = cut(text.trim_end_matches('\r'), 0..0, LINE_CHARS).into_owned();
    Row { number: line, kind: RowKind::Definition, text, cut_line_bytes: None }
}

/// Returns the text of a file that is small enough.
fn text(cx: &Context, path: &str) -> Option<Vec<u8>> {
    cx.stop().check().ok()?;
    let place = OpenedPath::open(&cx.workspace, &cx.workspace.absolute(path)).ok()?;
    if place.stat.kind != FileKind::File || place.stat.bytes > FUNCTION_FILE_BYTES {
        return None;
    }
    first_bytes(&place.file().ok()?, as_index(place.stat.bytes)).ok()
}
