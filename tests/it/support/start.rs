//! Starts the server under test: its folder, flags, variables, user and client name.

use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use super::Workspace;

/// A user without rights, for tests that run as root.
const NOBODY: u32 = 65534;

/// The protocol that a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// The handshake, in this revision.
    Handshake(&'static str),
    /// Stateless: every request says its revision.
    Stateless,
}

impl Protocol {
    /// The handshake revision that most clients speak.
    pub(crate) const HANDSHAKE: Self = Self::Handshake("2025-06-18");
    /// One of each.
    pub(crate) const BOTH: [Self; 2] = [Self::HANDSHAKE, Self::Stateless];
}

/// The workspace, flags and environment that a server is started with.
#[derive(Debug)]
pub(crate) struct Start<'a> {
    workspace: &'a Workspace,
    program: PathBuf,
    pub(super) flags: Vec<String>,
    env: Vec<(String, String)>,
    pub(super) protocol: Protocol,
    pub(super) name: String,
    pub(super) roots: Option<Vec<String>>,
    user: Option<u32>,
    saved_dir: bool,
    log: bool,
}

impl<'a> Start<'a> {
    /// In a workspace, with the defaults.
    pub(crate) fn new(workspace: &'a Workspace) -> Self {
        Self {
            workspace,
            program: env!("CARGO_BIN_EXE_cutline").into(),
            flags: Vec::new(),
            env: Vec::new(),
            protocol: Protocol::HANDSHAKE,
            name: "cutline-tests".to_owned(),
            roots: None,
            user: None,
            saved_dir: true,
            log: true,
        }
    }

    /// Uses the default log level. Without this, tests use a more detailed one.
    pub(crate) fn default_log(mut self) -> Self {
        self.log = false;
        self
    }

    /// Spoken to by a client that gives itself this name.
    pub(crate) fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// With these flags.
    pub(crate) fn flags<S: AsRef<str>>(mut self, flags: impl IntoIterator<Item = S>) -> Self {
        self.flags.extend(flags.into_iter().map(|flag| self.workspace.expand(flag.as_ref())));
        self
    }

    /// With this variable.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), self.workspace.expand(value)));
        self
    }

    /// Speaking this protocol.
    pub(crate) fn protocol(mut self, protocol: Protocol) -> Self {
        self.protocol = protocol;
        self
    }

    /// Offering these as roots: URIs, or other members of the list in JSON.
    pub(crate) fn root_members(mut self, members: &[String]) -> Self {
        self.roots = Some(members.to_vec());
        self
    }

    /// Offering these folders as roots.
    pub(crate) fn roots(mut self, roots: &[PathBuf]) -> Self {
        self.roots = Some(roots.iter().map(|root| format!("file://{}", root.display())).collect());
        self
    }

    /// Starts the server as this user if the tests run as root.
    pub(crate) fn of_user(mut self, user: u32) -> Self {
        self.user = Some(user);
        self
    }

    /// As a user to whom modes apply.
    pub(crate) fn unprivileged(mut self) -> Self {
        self.user = Some(NOBODY);
        self
    }

    /// With the default folder of saved outputs.
    pub(crate) fn default_saved_dir(mut self) -> Self {
        self.saved_dir = false;
        self
    }

    /// Starts the server through another program. Its arguments end with the path of the binary and the flags.
    pub(crate) fn through(mut self, program: &str, arguments: &[&str]) -> Self {
        let binary = std::mem::replace(&mut self.program, program.into());
        let arguments = arguments.iter().map(ToString::to_string);
        self.flags.splice(0..0, arguments.chain([binary.display().to_string()]));
        self
    }

    /// The process, its pipes not yet used.
    pub(crate) fn command(&self) -> Command {
        let workspace = self.workspace;
        let mut program = self.program.clone();
        let user = self.user.filter(|_| rustix::process::geteuid().is_root());
        if user.is_some() {
            // The build folder may be one that this user can't enter.
            program = workspace.base().join("cutline");
            // Not by this process: a file that it had open for writing could not be run while another
            // thread starts a process that holds it too, for a moment.
            let copied = Command::new("cp").arg(&self.program).arg(&program).status();
            assert!(copied.is_ok_and(|status| status.success()), "no copy of the binary");
        }
        let mut command = Command::new(program);
        command.args(&self.flags).current_dir(workspace.root());
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if ["CUTLINE_", "GIT_", "XDG_", "RUST_LOG"].iter().any(|start| name.starts_with(start)) {
                command.env_remove(name.as_ref());
            }
        }
        command.env("HOME", workspace.home()).env("LC_ALL", "C.UTF-8");
        if self.log {
            command.env("CUTLINE_LOG", "info");
        }
        if self.saved_dir {
            command.env("CUTLINE_SPILL_DIR", workspace.saved_dir());
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(user) = user {
            command.uid(user).gid(user);
        }
        command
    }
}
