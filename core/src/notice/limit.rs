//! The limit of all notices of a result. A file name can be long, and one result can have notices about many files.

use super::{Names, Notice};
use crate::truncate::Limit;

impl Notice {
    /// Returns the notices in their order. If they exceed `max_bytes`, of which `used` are used by other lines, lists of
    /// names are shortened. If that is not enough, those about files that do not fit are left out, and a notice counts
    /// them.
    pub fn within(mut notices: Vec<Self>, used: u64, max_bytes: u64) -> Vec<Self> {
        let is_within = |notices: &[Self]| used + Self::bytes(notices) <= max_bytes;
        if !is_within(&notices) {
            notices.iter_mut().filter_map(Self::names_mut).for_each(Names::shorten);
        }
        if !is_within(&notices) {
            let left_out = |count| Self::NoticesLeftOut { count, limit: Limit::Bytes(max_bytes) };
            let others = Self::bytes(notices.iter().filter(|notice| !notice.is_about_files()));
            let all = notices.len() as u64;
            let mut space = max_bytes.saturating_sub(used + others + Self::bytes([&left_out(all)]));
            notices.retain(|notice| {
                let rest = if notice.is_about_files() {
                    space.checked_sub(Self::bytes([notice]))
                } else {
                    Some(space)
                };
                space = rest.unwrap_or(space);
                rest.is_some()
            });
            let count = all - notices.len() as u64;
            notices.extend((count > 0).then(|| left_out(count)));
        }
        notices.sort_by_key(Self::position);
        notices
    }

    /// Returns the bytes of the lines of notices, with a newline for each.
    pub fn bytes<'a>(notices: impl IntoIterator<Item = &'a Self>) -> u64 {
        notices.into_iter().map(|notice| notice.to_string().len() as u64 + 1).sum()
    }

    /// Returns the list of names in a notice.
    fn names_mut(&mut self) -> Option<&mut Names> {
        match self {
            Self::ArgumentsIgnored(names)
            | Self::AutorunFiles { names, .. }
            | Self::Background { names, .. }
            | Self::BinaryMatches(names)
            | Self::LinkedFilesNotSearched(names)
            | Self::LinksNotSearched(names)
            | Self::LinksOutside(names)
            | Self::Skipped { names, .. }
            | Self::WorkTreesNotSearched(names) => Some(names),
            _ => None,
        }
    }

    /// Returns true for a notice about files or names. A result can have many of these, and long ones.
    fn is_about_files(&self) -> bool {
        matches!(
            self,
            Self::ArgumentsIgnored(_)
                | Self::BinaryMatches(_)
                | Self::FileEncoding { .. }
                | Self::FileMixed { .. }
                | Self::FileNotUtf8 { .. }
                | Self::GitNotSearched(_)
                | Self::GlobRepeatsPath { .. }
                | Self::LineEndings { .. }
                | Self::LinkedFilesNotSearched(_)
                | Self::LinksNotSearched(_)
                | Self::LinksOutside(_)
                | Self::NoFileMatches { .. }
                | Self::NotShown { .. }
                | Self::Skipped { .. }
                | Self::WorkTreesNotSearched(_)
        )
    }
}
