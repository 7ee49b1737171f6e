//! The flags of a command line: that of this process, or that in a client's file.

use std::any::TypeId;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::{Args as _, CommandFactory as _};

use super::{Cli, is_same, wrap};

/// A flag in a command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Flag {
    /// The flag, such as `--root`.
    pub(super) name: String,
    /// The words as they are written: the flag with its value.
    pub(super) words: Vec<String>,
    /// True if the value is a path.
    pub(super) is_path: bool,
}

impl Flag {
    /// Returns the flag with another value, if the value is a path.
    pub(super) fn with_path(&self, changed: impl Fn(&Path) -> PathBuf) -> anyhow::Result<Self> {
        let mut flag = self.clone();
        if let Some(word) = flag.words.last_mut().filter(|_| self.is_path) {
            let start = word.find('=').filter(|_| word.starts_with("--")).map_or(0, |equals| equals + 1);
            let (name, path) = word.split_at(start);
            *word = name.to_owned() + &text(changed(Path::new(path)).as_os_str())?;
        }
        Ok(flag)
    }
}

/// Splits words into the flags of `cutline` and `cutline wrap`, and words that are no flag and no value of a flag.
fn split(words: impl IntoIterator<Item = String>) -> Vec<Result<Flag, String>> {
    let command = wrap::WrapOptions::augment_args(Cli::command());
    let (mut all, mut words) = (Vec::new(), words.into_iter());
    while let Some(word) = words.next() {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name).to_owned();
        let long = name.strip_prefix("--");
        let known = long.and_then(|long| command.get_arguments().find(|arg| arg.get_long() == Some(long)));
        let Some(arg) = known else {
            all.push(Err(word));
            continue;
        };
        let value = if name == word && arg.get_action().takes_values() { words.next() } else { None };
        let is_path = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        all.push(Ok(Flag { name, words: [word].into_iter().chain(value).collect(), is_path }));
    }
    all
}

/// Splits the arguments of `cutline` or `cutline wrap` into flags.
///
/// # Errors
///
/// Returns an error for a word that is no flag and no value of a flag.
pub(super) fn flags_of(words: &[String]) -> anyhow::Result<Vec<Flag>> {
    split(words.iter().cloned())
        .into_iter()
        .map(|flag| flag.map_err(|word| anyhow!("{word} is not a flag")))
        .collect()
}

/// Returns the flags that the user typed for a server or a wrapped server. `clap` has checked the words.
pub(super) fn given() -> anyhow::Result<Vec<Flag>> {
    let words = std::env::args_os().skip(1).map(|word| text(&word)).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(split(words).into_iter().flatten().collect())
}

/// Returns a path as UTF-8 text.
pub(super) fn text(value: &OsStr) -> anyhow::Result<String> {
    value.to_str().map(str::to_owned).with_context(|| format!("{} is not UTF-8", value.display()))
}

/// Returns the absolute path. The current folder has the spelling of the shell (`PWD`).
pub(super) fn absolute(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let spelled = std::env::var_os("PWD").map(PathBuf::from);
    let spelled = spelled.filter(|spelled| spelled.is_absolute() && is_same(spelled, &here));
    let whole = spelled.unwrap_or(here).join(path);
    std::path::absolute(&whole).unwrap_or(whole)
}
