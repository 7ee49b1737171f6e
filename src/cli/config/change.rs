//! Changes the entry of one server in a client's files.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::edit::Doc;
use super::entry::{self, LEAN_FLAG, is_cutline, is_switched_off, merged, texts, words, wrapped};
use super::file::{Edited, read, rewrite};
use super::places::{self, Place, places};
use super::{ConfigOptions, servers};
use crate::cli::typed::{self, Flag, absolute, flags_of};
use crate::cli::{NAME, is_same, parsed, print, refuse_in, tell};
use crate::fit::{Client, Format, Scope};
use crate::process::on_path;
use cutline_core::text::show;

/// The command of a server in a file that cutline does not read.
const COMMAND: &str = "COMMAND";

/// What to do with an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action<'a> {
    Put,
    Remove,
    Wrap(&'a str),
    Unwrap(&'a str),
}

impl Action<'_> {
    /// Returns the name of the entry.
    fn name(&self) -> &str {
        if let Self::Wrap(name) | Self::Unwrap(name) = self { name } else { NAME }
    }
}

/// A change of a client's files.
pub(super) struct Change<'a> {
    pub(super) action: Action<'a>,
    pub(super) options: &'a ConfigOptions,
    /// The flags that the user typed for the entry.
    pub(super) flags: &'a [Flag],
    pub(super) client: &'static Client,
    /// The absolute path of this program.
    pub(super) binary: String,
    /// The current folder.
    pub(super) folder: PathBuf,
}

impl Change<'_> {
    /// Returns the locations to change: where a new entry goes, or where the entry is. Without `--file` and `--scope`,
    /// these are the files of the first scope that has the entry; a new entry does not count those for all projects.
    pub(super) fn places(&self) -> anyhow::Result<Vec<Place>> {
        let mut all = match (&self.options.file, self.options.scope) {
            (Some(file), _) => {
                vec![Place::new(self.client, Scope::User, std::path::absolute(file)?)]
            }
            (None, None) if self.action != Action::Put => places(self.client),
            (None, scope) => {
                let scope = scope.or_else(|| self.in_use().map(|place| place.scope));
                places::written(self.client, scope).unwrap_or_else(|message| refuse_in(&["config"], message))
            }
        };
        if self.action == Action::Put {
            return Ok(all);
        }
        let name = self.action.name();
        // A broken file counts, so that its error is reported.
        let has_entry = |place: &Place| match has_server(place, name) {
            _ if place.is_shared_yaml() => read(&place.path).is_ok_and(|text| text.contains(name)),
            has_server => has_server.unwrap_or(true),
        };
        all.retain(|place| place.path.exists() && has_entry(place));
        let used = all.first().map(|place| place.scope);
        for other in all.iter().filter(|place| Some(place.scope) != used) {
            let Place { scope, .. } = other;
            tell(format_args!("{other} has an entry {name} too; --scope {scope} selects it"));
        }
        all.retain(|place| Some(place.scope) == used);
        if all.is_empty() {
            let message =
                format!("no file of {} that applies here has an entry {name}", self.client.files.name);
            if self.action == Action::Remove { tell(message) } else { refuse_in(&["config"], message) }
        }
        Ok(all)
    }

    /// Returns the location of the entry for this project that the client uses now.
    fn in_use(&self) -> Option<Place> {
        let of_project = places(self.client).into_iter().filter(|place| place.scope != Scope::User);
        let mut editable = of_project.filter(|place| !place.is_shared_yaml());
        editable.find(|place| has_server(place, NAME).unwrap_or(false))
    }

    /// Returns the entry that a new one in `place` would replace for this project, and its location.
    fn hidden(&self, place: &Place) -> anyhow::Result<Option<(Place, Value)>> {
        let is_new = self.action == Action::Put && !self.options.replace && self.options.file.is_none();
        let hidden = self.in_use().filter(|used| is_new && *used != *place && place.scope == Scope::Local);
        hidden.map_or(Ok(None), |used| {
            let entry = entry::named(&servers(&used)?, NAME)?;
            Ok(entry.map(|entry| (used, entry)))
        })
    }

    /// Returns the program for an entry that had the command `old`, or its path. A name without a folder stays.
    fn program(&self, place: &Place, old: &[String]) -> &str {
        let is_found = || on_path(NAME).is_some_and(|path| is_same(&path, Path::new(&self.binary)));
        let is_portable = self.options.portable.unwrap_or_else(|| match old.first() {
            Some(program) => program == NAME,
            None => place.scope == Scope::Project && is_found(),
        });
        if is_portable { NAME } else { &self.binary }
    }

    /// Returns an absolute path, or a relative one if it is in the current folder and the entry is portable.
    fn in_form(&self, path: &Path, is_portable: bool) -> PathBuf {
        let path = absolute(path);
        match path.strip_prefix(&self.folder) {
            Ok(inside) if is_portable => Path::new(".").join(inside).components().collect(),
            _ => path,
        }
    }

    /// Returns a path of the old entry in the form that `--portable` requests.
    fn converted(&self, path: &Path) -> PathBuf {
        match self.options.portable {
            Some(true) if path.starts_with(&self.folder) => self.in_form(path, true),
            Some(false) if path.starts_with(".") || path.starts_with("..") => self.in_form(path, false),
            _ => path.to_owned(),
        }
    }

    /// Returns the command of the changed entry, and how it differs from the old command `was`.
    fn words(
        &self,
        place: &Place,
        doc: &Doc,
        old: &Value,
        was: &[String],
    ) -> anyhow::Result<(Vec<String>, Vec<String>)> {
        let (is_put, is_own) = (self.action == Action::Put, is_cutline(was));
        if is_put && !self.options.replace {
            ensure_own(was, "change it by hand, or replace it with --replace")?;
        }
        let (was_flags, command) = match (wrapped(was), was.split_first()) {
            (Some(parts), _) => parts,
            (None, Some((_, flags))) if is_put && is_own => (flags, was),
            _ => (if is_put { was } else { &[] }, was),
        };
        if let Action::Unwrap(_) = self.action {
            return Ok((command.to_vec(), Vec::new()));
        }
        let program = self.program(place, if is_own { was } else { &[] });
        let is_kept = is_own && !self.options.replace;
        let was_flags = match flags_of(was_flags) {
            Err(_) if !is_kept => vec![Flag { words: was_flags.to_vec(), ..Flag::default() }],
            flags => flags.context("--replace drops the flags of the entry")?,
        };
        let kept =
            was_flags.iter().filter(|_| is_kept).map(|flag| flag.with_path(|path| self.converted(path)));
        let kept = kept.collect::<anyhow::Result<Vec<_>>>()?;
        let given = |flag: &Flag| flag.with_path(|path| self.in_form(path, program == NAME));
        let mut flags = merged(&kept, &self.flags.iter().map(given).collect::<anyhow::Result<Vec<_>>>()?);
        for name in &self.options.unset {
            let flag = format!("--{name}");
            ensure!(entry::has(&flags, &flag), "the entry has no {flag}");
            flags.retain(|other| other.name != flag);
        }
        if self.options.no_lean {
            flags.retain(|flag| flag.name != LEAN_FLAG);
        } else if !is_kept {
            flags = merged(&flags_of(&[LEAN_FLAG.to_owned()])?, &flags);
        }
        if is_put {
            entry::add_needed(&mut flags, place, old, doc, &typed::text(self.folder.as_os_str())?);
            parsed(&texts(&flags)).map_err(|error| match &kept[..] {
                [] => error,
                _ => error.context("with the flags of the entry, which stay without --replace"),
            })?;
        }
        let missing_in = |all: &[Flag], flags: &[Flag], what: &str| -> Vec<String> {
            let missing = flags.iter().filter(|flag| !all.contains(flag));
            missing.map(|flag| format!("{what}: {}", flag.words.join(" "))).collect()
        };
        let is_new = is_put && was.is_empty();
        let added = if is_new { Vec::new() } else { missing_in(&was_flags, &flags, "added") };
        let changes = [missing_in(&flags, &was_flags, "removed"), added].concat();
        let now = if is_put {
            [vec![program.to_owned()], texts(&flags)].concat()
        } else {
            entry::wrapping(program, &flags, command)
        };
        ensure!(
            is_put || is_cutline(&now),
            "the name of {program} must be {NAME}: it identifies wrapped entries"
        );
        Ok((now, changes))
    }

    /// Changes the entry in the text of a file. Returns the new text, the entry, and messages.
    fn edited(&self, place: &Place, text: &str) -> anyhow::Result<(Edited, Value, Vec<String>)> {
        let (name, files, is_put) = (self.action.name(), &self.client.files, self.action == Action::Put);
        let doc = Doc::parse(files.format, text);
        let is_anew = doc.is_err() && self.options.replace && files.format == Format::Yaml;
        let mut doc = if is_anew { Doc::parse(files.format, "")? } else { doc? };
        let servers = doc.servers(&place.keys)?;
        let mut old = entry::named(&servers, name)?.unwrap_or_default();
        let mut messages = Vec::new();
        if old.is_null()
            && let Some((used, mut entry)) = self.hidden(place)?
        {
            // Somebody else can have written the entry. Its variables and its folder could start other programs.
            if let Some(members) = entry.as_object_mut() {
                members.retain(|name, _| ["type", "command", "args"].contains(&&**name));
            }
            doc.set(&place.keys, NAME, &entry)?;
            let flags = words(files, &entry)?.into_iter().skip(1).collect::<Vec<_>>().join(" ");
            messages.push(format!(
                "It begins with the flags of the entry in {used}, whose place it takes: {flags}"
            ));
            old = entry;
        }
        let others = servers.iter().filter(|(other, _)| other != name);
        let others = others.map(|(name, entry)| (name, words(files, entry).unwrap_or_default()));
        let is_remove = self.action == Action::Remove;
        let others = others.filter(|(_, words)| is_cutline(words)).filter_map(|(name, words)| {
            if wrapped(&words).is_none() {
                return Some(format!("The file has another entry that starts {NAME}: {name}"));
            }
            let hint =
                || format!("{name} there is still wrapped by {NAME}: --unwrap {name} --write turns it back");
            is_remove.then(hint)
        });
        if is_remove {
            ensure_own(&words(files, &old)?, "remove it by hand")?;
            return Ok((without_entry(place, text)?, old, others.collect()));
        }
        if let Some(url) = entry::remote(files, &old) {
            let hint =
                format!("{name} is a remote server ({url}); to wrap it, start it with npx mcp-remote {url}");
            ensure!(matches!(self.action, Action::Unwrap(_)), hint);
            return Ok((Edited { text: text.to_owned(), ..Edited::default() }, old, Vec::new()));
        }
        let was = words(files, &old)?;
        let (now, changes) = self.words(place, &doc, &old, &was)?;
        messages.extend(changes);
        if now != was {
            entry::set_words(&mut doc, place, name, &was, &now)?;
        }
        if is_put {
            let set = entry::set_needed(&mut doc, place, &old)?;
            let set = set.into_iter().filter(|_| !was.is_empty());
            messages.extend(set.map(|setting| format!("added: {setting}")));
            messages.extend(others);
            messages.extend(self.warnings(place, &old, &now));
        }
        let entry = entry::named(&doc.servers(&place.keys)?, name)?.unwrap_or_default();
        ensure!(words(files, &entry)? == now, "the client would not start the command that {NAME} writes");
        let new = with_line_ends_of(text, &doc.to_text());
        let had_own = was.is_empty() || is_cutline(&was);
        let has_only_own = || without_entry(place, text).is_ok_and(|rest| rest.was_own);
        let was_own = is_put && new != text && had_own && has_only_own();
        Ok((Edited { text: new, was_own, is_empty: false }, entry, messages))
    }

    /// Returns what the user should know about a written entry, with its old value and its command.
    fn warnings(&self, place: &Place, old: &Value, now: &[String]) -> impl Iterator<Item = String> {
        let switch = is_switched_off(old).then(|| "The entry is switched off there".to_owned());
        let pairs = now.iter().zip(now.iter().skip(1));
        let roots = pairs.filter(|(flag, _)| *flag == entry::ROOT_FLAG).map(|(_, root)| root);
        let missing = roots.clone().filter(|root| !self.folder.join(root).is_dir());
        let missing = missing.map(|root| format!("warning: {root} is not a folder"));
        let root = roots.clone().next().filter(|_| place.scope == Scope::User && self.options.file.is_none());
        let has_project = self.client.files.paths.iter().any(|(scope, _)| *scope == Scope::Project);
        let hint = if has_project { "; --scope project writes a file for one project" } else { "" };
        let root = root.map(|root| format!("warning: in all projects, this entry works in {root}{hint}"));
        let is_shared = place.scope == Scope::Project && now.first().is_some_and(|program| program == NAME);
        let own = now.iter().skip(1).filter(move |word| is_shared && word.starts_with('/'));
        let own =
            own.map(|path| format!("warning: the file of the project has a path of this machine: {path}"));
        switch.into_iter().chain(root).chain(missing).chain(own)
    }

    /// Prints the changed entry. Returns the exit code, which is 1 if it cannot be written.
    pub(super) fn print(&self, place: &Place) -> anyhow::Result<i32> {
        let (name, options) = (self.action.name(), self.options);
        if place.is_shared_yaml() {
            let change = if self.action == Action::Remove {
                "Remove the entry cutline from"
            } else {
                let command = if self.action == Action::Put { Vec::new() } else { vec![COMMAND.to_owned()] };
                let (words, _) = self.words(place, &Doc::parse(Format::Yaml, "")?, &Value::Null, &command)?;
                let (program, arguments) = words.split_first().context("it has no program")?;
                let entry = json!({"name": name, "command": program, "args": arguments});
                print(format!("{}:\n  - {entry}\n", self.client.files.servers))?;
                "Write this to"
            };
            tell(format_args!("{change} {place}: cutline does not edit YAML with other servers"));
            return Ok(i32::from(options.write));
        }
        let text = read(&place.path).with_context(|| place.to_string())?;
        let (_, entry, messages) = self.edited(place, &text).with_context(|| place.to_string())?;
        let mut doc = Doc::parse(self.client.files.format, "")?;
        let path = place.entry(name);
        path.split_last().map_or(Ok(()), |(last, above)| doc.set(above, last, &entry))?;
        if self.action == Action::Put {
            let own = Doc::parse(self.client.files.format, &text)?.value();
            let kept = self.client.files.answer_tokens.and_then(|name| Some((name, own.get(name)?)));
            kept.map_or(Ok(()), |(name, value)| doc.set(&[], name, value))?;
            entry::set_needed(&mut doc, place, &entry)?;
        }
        print(&*show::on_terminal(&doc.to_text()))?;
        let change = if options.remove { "removes this from" } else { "writes this to" };
        tell(format_args!("--write {change} {place}"));
        messages.iter().for_each(tell);
        Ok(0)
    }

    /// Writes the changed entry, and reports it.
    pub(super) fn write(&self, place: &Place) -> anyhow::Result<()> {
        let mut messages = Vec::new();
        let written = rewrite(place, |old| {
            let (edited, _, all) = self.edited(place, old)?;
            messages = all;
            Ok(edited)
        })
        .with_context(|| format!("{place} was not changed"))?;
        let done = match self.action {
            Action::Put => "is written",
            Action::Remove => "is removed",
            Action::Wrap(_) => "is wrapped",
            Action::Unwrap(_) => "is unwrapped",
        };
        let name = self.action.name();
        tell(match written {
            None => format!("{place}: {name} is unchanged"),
            Some(copy) => format!("{place}: {name} {done}{copy}"),
        });
        messages.iter().for_each(tell);
        Ok(())
    }
}

/// Checks that the command of an entry starts cutline, or that there is none.
fn ensure_own(command: &[String], remedy: &str) -> anyhow::Result<()> {
    let is_own = command.is_empty() || is_cutline(command);
    ensure!(is_own, "the entry starts another program: {}; {remedy}", command.join(" "));
    Ok(())
}

/// Returns true if a location has a server with this name.
fn has_server(place: &Place, name: &str) -> anyhow::Result<bool> {
    Ok(servers(place)?.iter().any(|(other, _)| other == name))
}

/// Returns `new` with the line endings of `old`: `\r\n` if all of its lines have them.
fn with_line_ends_of(old: &str, new: &str) -> String {
    let lines = old.matches('\n').count();
    let is_crlf = lines > 0 && lines == old.matches("\r\n").count();
    if is_crlf { new.replace("\r\n", "\n").replace('\n', "\r\n") } else { new.to_owned() }
}

/// Returns the text of a file without the entry of cutline, and whether it has nothing else, except for what `config`
/// wrote. A file with comments has more.
fn without_entry(place: &Place, text: &str) -> anyhow::Result<Edited> {
    let format = place.client.files.format;
    let mut doc = Doc::parse(format, text)?;
    if format == Format::Yaml {
        return Ok(Edited { was_own: true, is_empty: true, ..Edited::default() });
    }
    // A string that looks like a comment counts too: the file is then copied without need.
    let marks: &[&str] = if format == Format::Toml { &["#"] } else { &["//", "/*"] };
    let has_comments = marks.iter().any(|mark| text.contains(mark));
    doc.set(&place.keys, NAME, &Value::Null)?;
    let rest = doc.to_text();
    let without_spaces = |text: &str| text.split_whitespace().collect::<String>();
    let nested = place.keys.iter().rev().fold("{}".to_owned(), |inner, key| format!("{{{key:?}: {inner}}}"));
    let setting = place.client.files.answer_tokens.map(|name| format!("{name} = {}", entry::ANSWER_TOKENS));
    let nothing = [Some(nested), setting, Some("{}".to_owned()), Some(String::new())];
    let was_own = !has_comments
        && nothing.iter().flatten().any(|nothing| without_spaces(nothing) == without_spaces(&rest));
    Ok(Edited { text: with_line_ends_of(text, &rest), was_own, is_empty: was_own })
}
