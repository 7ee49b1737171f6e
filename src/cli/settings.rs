//! From what was typed to what the library takes.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::call_stats::StatsFile;
use crate::fit::Given;
use crate::fs::line_index;
use crate::fs::workspace::{Boundary, Root, Workspace, lexical};
use crate::limits::{BASH_TIMEOUT_SECS, Images, Limits, MAX_BYTES, MAX_LINES};
use crate::process::Commands;
use crate::process::environment::Environment;
use crate::process::sandbox::{Mode, Sandbox};
use crate::process::spill;
use crate::server::Shape;
use crate::tools::Shared;
use crate::tools::error::reason;
use crate::tools::threads::Threads;
use cutline_core::text::as_index;

use super::{EnvMode, Options, config, is_same};

impl Options {
    /// Returns the limits, which hold together; where they don't, what is wrong.
    pub(super) fn limits(&self) -> Result<Limits, String> {
        let max_timeout = self.bash_max_timeout;
        let timeout = self.bash_timeout.unwrap_or(BASH_TIMEOUT_SECS.min(max_timeout));
        if timeout > max_timeout {
            return Err(format!("--bash-timeout {timeout} is above --bash-max-timeout {max_timeout}"));
        }
        let body = self.body_limits();
        let (head, max_lines) = (self.bash_head, body.max_lines);
        if head.saturating_add(self.bash_tail.unwrap_or(0)) > max_lines {
            return Err(format!("--bash-head and --bash-tail together are above --max-lines {max_lines}"));
        }
        if head == 0 && self.bash_tail == Some(0) {
            return Err("of --bash-head and --bash-tail, one must be above 0".to_owned());
        }
        Ok(Limits {
            call_limits: self.call_limits,
            max_line_chars: as_index(self.max_line_chars),
            bash_head: head,
            bash_tail: self.bash_tail,
            bash_timeout_secs: timeout,
            bash_max_timeout_secs: max_timeout,
            answer_within: self.answer_within.map(Duration::from_secs),
            images: if self.images == Some(false) { Images::Off } else { Images::UpTo(self.max_image_bytes) },
            ..body
        })
    }

    /// Returns the limits of an answer's body, which a wrap has too; the others are the defaults.
    pub(super) fn body_limits(&self) -> Limits {
        Limits {
            max_lines: self.max_lines.unwrap_or(MAX_LINES),
            max_bytes: self.max_bytes.unwrap_or(MAX_BYTES),
            max_tokens: self.max_tokens,
            max_text_line_chars: self.max_text_line_chars.map(as_index),
            ..Limits::default()
        }
    }

    /// Returns the limits that were given, which no client's row lowers.
    pub(super) fn given(&self) -> Given {
        Given {
            max_lines: self.max_lines.is_some(),
            max_bytes: self.max_bytes.is_some(),
            images: self.images.is_some(),
            answer_within: self.answer_within.is_some(),
        }
    }

    /// Returns the state that all calls share.
    pub(super) fn shared(&self) -> Result<Arc<Shared>, String> {
        let processors = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let asked = self.workers.map(|workers| usize::try_from(workers).unwrap_or(usize::MAX));
        Ok(Arc::new(Shared {
            limits: self.limits()?,
            tools: self.tools.iter().copied().collect(),
            workers: asked.unwrap_or_else(processors),
            line_indexes: line_index::Cache::default(),
            commands: self.commands()?,
            save: self.save,
            threads: Threads::default(),
        }))
    }

    /// The settings of saved outputs.
    pub(super) fn spill(&self) -> spill::Settings {
        spill::Settings {
            private: self.spill_dir.is_none(),
            dir: self.spill_dir.clone().unwrap_or_else(|| spill::Settings::default().dir),
            max_file_bytes: self.spill_max_file,
            max_total_bytes: self.spill_max_total,
            keep: self.spill_keep,
        }
    }

    fn commands(&self) -> Result<Commands, String> {
        let spill = self.spill();
        let sandbox = self.sandbox(&spill.dir)?;
        let environment = match self.env {
            EnvMode::Inherited => Environment::default(),
            EnvMode::Filtered => Environment::filtered(&self.env_keep),
        };
        Ok(Commands::new(spill, sandbox, environment))
    }

    /// Returns the rules that commands are held to, if any; where they can't be, the reason. Outputs are saved in `saved`.
    fn sandbox(&self, saved: &Path) -> Result<Option<Sandbox>, String> {
        let deny_unix_sockets = !self.sandbox_deny.is_empty();
        if self.sandbox == Mode::Off {
            let needed = "--sandbox-deny needs --sandbox read-only or workspace-write";
            return if deny_unix_sockets { Err(needed.to_owned()) } else { Ok(None) };
        }
        let followed = |path: &Path| Root::followed(path.to_owned());
        let mut own = vec![("the folder of saved outputs", followed(saved))];
        own.extend(self.stats_file.as_deref().map(|path| ("the file of --stats-file", followed(path))));
        let starters = config::looked_at().chain(std::env::current_exe().ok()).collect();
        Sandbox::new(self.sandbox, deny_unix_sockets, &self.writable, starters, own)
            .map(Some)
            .map_err(|reason| format!("--sandbox can't be had here: {reason}"))
    }

    /// Returns the roots that can be used, the others warned of; where none can, why, and where commands
    /// could write the server's own files. What `shared` saves may be read too.
    pub(super) fn workspace(&self, shared: &Shared) -> Result<Workspace, String> {
        let here = [PathBuf::from(".")];
        let given = if self.roots.is_empty() { &here[..] } else { &self.roots };
        let (mut roots, mut refused) = (Vec::new(), Vec::new());
        for path in given {
            match root(path) {
                Ok(root) => roots.push(root),
                Err(reason) => refused.push(format!("{}: {reason}", path.display())),
            }
        }
        let boundary = if self.allow_outside { Boundary::None } else { Boundary::Roots };
        for folder in refused.iter().filter(|_| !roots.is_empty()) {
            tracing::warn!("--root {folder}");
        }
        let none = || format!("--root: none of the folders given can be used ({})", refused.join(", "));
        let workspace = Workspace::new(roots, boundary).ok_or_else(none)?;
        if let Some(sandbox) = &shared.commands.sandbox {
            sandbox.check(&workspace.roots)?;
            if let Some(warning) = sandbox.warning(&workspace.roots) {
                tracing::warn!("{warning}");
            }
        }
        Ok(Workspace { saved: shared.commands.store.path(), ..workspace })
    }

    /// Opens the file in which calls are recorded, where one is named.
    pub(super) fn stats_file(&self) -> Result<Option<StatsFile>, String> {
        let open = |path: &PathBuf| {
            StatsFile::open(path)
                .map_err(|error| format!("--stats-file {}: {}", path.display(), reason(&error)))
        };
        self.stats_file.as_ref().map(open).transpose()
    }

    /// Returns the shape of results.
    pub(super) fn shape(&self) -> Shape {
        if self.structured { Shape::Structured } else { Shape::Text }
    }
}

/// Returns a path made absolute, in the spelling of the current folder that the user's shell has.
pub(super) fn absolute(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let spelled = std::env::var_os("PWD").map(PathBuf::from);
    let spelled = spelled.filter(|spelled| spelled.is_absolute() && is_same(spelled, &here));
    let whole = spelled.unwrap_or(here).join(path);
    std::path::absolute(&whole).unwrap_or(whole)
}

fn root(path: &Path) -> Result<Root, String> {
    let resolved = Root::resolve(path.to_owned()).map_err(|error| match error.kind() {
        ErrorKind::NotADirectory => "not a folder".to_owned(),
        _ => reason(&error),
    })?;
    Ok(Root { given: lexical(&absolute(path)), ..resolved })
}
