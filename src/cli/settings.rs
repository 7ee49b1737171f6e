//! Converts the command line to the settings of the library.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow, ensure};

use crate::blocking::Threads;
use crate::call_stats::StatsFile;
use crate::fit::Given;
use crate::fs::line_index;
use crate::fs::workspace::{Boundary, Root, Workspace, lexical};
use crate::limits::{
    BASH_TIMEOUT_SECS, LEAN_CUT_TO, LEAN_OUTPUT_BYTES, LEAN_READ_BYTES, Limits, MAX_BYTES, MAX_LINES,
    SEARCH_TIMEOUT_SECS,
};
use crate::process::Commands;
use crate::process::environment::Environment;
use crate::process::sandbox::{Mode, Sandbox};
use crate::saved_output;
use crate::server::ResultFormat;
use crate::tools::Shared;
use crate::tools::error::reason;
use cutline_core::text::as_index;

use super::typed::absolute;
use super::{Options, config};

impl Options {
    /// Returns the limits.
    ///
    /// # Errors
    ///
    /// Returns an error if flags contradict each other.
    pub(super) fn limits(&self) -> anyhow::Result<Limits> {
        let max_timeout = self.bash_max_timeout;
        let timeout = self.bash_timeout.unwrap_or(BASH_TIMEOUT_SECS.min(max_timeout));
        ensure!(timeout <= max_timeout, "--bash-timeout {timeout} is above --bash-max-timeout {max_timeout}");
        let body = self.body_limits();
        let (max_lines, kept) = (body.max_lines, self.bash_head.saturating_add(self.bash_tail.unwrap_or(0)));
        ensure!(kept <= max_lines, "--bash-head and --bash-tail together are above --max-lines {max_lines}");
        ensure!(kept > 0 || self.bash_tail.is_none(), "of --bash-head and --bash-tail, one must be above 0");
        ensure!(
            self.sandbox != Mode::Off || self.sandbox_deny.is_empty(),
            "--sandbox-deny needs --sandbox read-only or workspace-write"
        );
        Ok(Limits {
            call_limits: self.call_limits,
            grep_heading: self.grep_heading,
            lean_grep: self.lean,
            outline: self.outline,
            max_match_line_chars: as_index(self.max_line_chars),
            bash_head: self.bash_head,
            bash_tail: self.bash_tail,
            bash_timeout_secs: timeout,
            bash_max_timeout_secs: max_timeout,
            answer_within: self.answer_within.map(Duration::from_secs),
            search_timeout: Duration::from_secs(self.search_timeout.unwrap_or(SEARCH_TIMEOUT_SECS)),
            images: (self.images != Some(false)).then_some(self.max_image_bytes),
            ..body
        })
    }

    /// Returns the limits of a result's body, which also apply to `cutline wrap`. The other limits have their defaults.
    pub(super) fn body_limits(&self) -> Limits {
        let is_lean = self.lean && self.max_bytes.is_none();
        Limits {
            max_lines: self.max_lines.unwrap_or(MAX_LINES),
            max_bytes: self.max_bytes.unwrap_or(MAX_BYTES),
            max_tokens: self.max_tokens,
            max_text_line_chars: self.max_text_line_chars.map(as_index),
            cut_to: self.cut_to.or(self.lean.then_some(LEAN_CUT_TO)),
            output_bytes: Some(LEAN_OUTPUT_BYTES).filter(|_| is_lean),
            read_bytes: Some(LEAN_READ_BYTES).filter(|_| is_lean),
            key_lines: self.key_lines,
            ..Limits::default()
        }
    }

    /// Returns which limits the user set. A client profile does not change these.
    pub(super) fn given(&self) -> Given {
        Given {
            max_lines: self.max_lines.is_some(),
            max_bytes: self.max_bytes.is_some(),
            images: self.images.is_some(),
            answer_within: self.answer_within.is_some(),
            search_timeout: self.search_timeout.is_some(),
        }
    }

    /// Returns the state that all calls share.
    pub(super) fn shared(&self) -> anyhow::Result<Arc<Shared>> {
        let processors = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Ok(Arc::new(Shared {
            limits: self.limits()?,
            tools: self.tools.iter().copied().collect(),
            workers: self.workers.map_or_else(processors, as_index),
            line_indexes: line_index::Cache::default(),
            commands: self.commands()?,
            saves_all: self.saves_all,
            threads: Threads::default(),
        }))
    }

    /// Returns the settings of saved outputs.
    pub(super) fn saved_outputs(&self) -> saved_output::Settings {
        saved_output::Settings {
            private: self.spill_dir.is_none(),
            dir: self.spill_dir.clone().unwrap_or_else(|| saved_output::Settings::default().dir),
            max_file_bytes: self.spill_max_file,
            max_total_bytes: self.spill_max_total,
            max_age: self.spill_keep,
        }
    }

    fn commands(&self) -> anyhow::Result<Commands> {
        let saved = self.saved_outputs();
        let sandbox = self.sandbox(&saved.dir)?;
        let environment = if self.filters_environment {
            Environment::filtered(&self.env_keep)
        } else {
            Environment::default()
        };
        Ok(Commands::new(saved, sandbox, environment))
    }

    /// Returns the sandbox for commands, if the user requested one. `saved` is the folder of saved outputs.
    ///
    /// # Errors
    ///
    /// Returns an error if the system does not support the sandbox.
    fn sandbox(&self, saved: &Path) -> anyhow::Result<Option<Sandbox>> {
        let deny_unix_sockets = !self.sandbox_deny.is_empty();
        if self.sandbox == Mode::Off {
            return Ok(None);
        }
        let followed = |path: &Path| Root::followed(path.to_owned());
        let mut own = vec![("the folder of saved outputs", followed(saved))];
        own.extend(self.stats_file.as_deref().map(|path| ("the file of --stats-file", followed(path))));
        let autorun_files: Vec<PathBuf> = config::all_files().chain(std::env::current_exe().ok()).collect();
        Sandbox::new(self.sandbox, deny_unix_sockets, &self.writable, &autorun_files, own)
            .map(Some)
            .map_err(|reason| anyhow!("--sandbox is not available here: {reason}"))
    }

    /// Returns the usable roots, and logs a warning for each unusable one. Tools may also read the outputs that
    /// `shared` saves.
    ///
    /// # Errors
    ///
    /// Returns an error if no root is usable, or if sandboxed commands could write to the server's own files.
    pub(super) fn workspace(&self, shared: &Shared) -> anyhow::Result<Workspace> {
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
        let workspace = Workspace::new(roots, boundary).with_context(none)?;
        if let Some(sandbox) = &shared.commands.sandbox {
            // Without `--root`, the client may set the roots. Each command checks those in use.
            let known = if self.roots.is_empty() { &[][..] } else { &workspace.roots };
            sandbox.check(known).map_err(anyhow::Error::msg)?;
            if let Some(warning) = sandbox.warning(&workspace.roots) {
                tracing::warn!("{warning}");
            }
        }
        Ok(Workspace { saved: shared.commands.store.path(), ..workspace })
    }

    /// Opens the file for records of calls, if `--stats-file` is set.
    pub(super) fn stats_file(&self) -> anyhow::Result<Option<StatsFile>> {
        let open = |path: &PathBuf| {
            StatsFile::open(path)
                .map_err(|error| anyhow!("--stats-file {}: {}", path.display(), reason(&error)))
        };
        self.stats_file.as_ref().map(open).transpose()
    }

    /// Returns the format of results.
    pub(super) fn result_format(&self) -> ResultFormat {
        if self.structured { ResultFormat::Structured } else { ResultFormat::Text }
    }
}

fn root(path: &Path) -> Result<Root, String> {
    let resolved = Root::resolve(path.to_owned()).map_err(|error| match error.kind() {
        ErrorKind::NotADirectory => "not a folder".to_owned(),
        _ => reason(&error),
    })?;
    Ok(Root { given: lexical(&absolute(path)), ..resolved })
}
