//! Starts the server under test: its folder, flags, variables, user and client name.

use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use super::Workspace;

/// A user without rights, for tests that run as root.
const NOBODY: u32 = 65534;

/// A protocol revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// A revision with a handshake, by its date.
    Handshake(&'static str),
    /// The stateless revision: each request has its protocol revision.
    Stateless,
}

impl Protocol {
    /// The revision with a handshake that most clients use.
    pub(crate) const HANDSHAKE: Self = Self::Handshake("2025-06-18");
    /// One revision of each kind.
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
    /// Starts the server in `workspace` with the default settings.
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

    /// Sets the name that the client sends.
    pub(crate) fn client_name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Adds flags.
    pub(crate) fn flags<S: AsRef<str>>(mut self, flags: impl IntoIterator<Item = S>) -> Self {
        self.flags.extend(flags.into_iter().map(|flag| self.workspace.expand(flag.as_ref())));
        self
    }

    /// Sets an environment variable.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), self.workspace.expand(value)));
        self
    }

    /// Sets the protocol revision of the client.
    pub(crate) fn protocol(mut self, protocol: Protocol) -> Self {
        self.protocol = protocol;
        self
    }

    /// Sets the roots that the client offers. Each is a URI, or a complete element of the list as JSON.
    pub(crate) fn root_members(mut self, members: &[String]) -> Self {
        self.roots = Some(members.to_vec());
        self
    }

    /// Sets the folders that the client offers as roots.
    pub(crate) fn roots(mut self, roots: &[PathBuf]) -> Self {
        self.roots = Some(roots.iter().map(|root| format!("file://{}", root.display())).collect());
        self
    }

    /// Starts the server as this user if the tests run as root.
    pub(crate) fn of_user(mut self, user: u32) -> Self {
        self.user = Some(user);
        self
    }

    /// Starts the server as a user to whom file modes apply.
    pub(crate) fn unprivileged(mut self) -> Self {
        self.user = Some(NOBODY);
        self
    }

    /// Uses the default folder of saved outputs. Without this, tests use a folder in the workspace.
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

    /// Returns the command that starts the server.
    pub(crate) fn command(&self) -> Command {
        let workspace = self.workspace;
        let mut program = self.program.clone();
        let user = self.user.filter(|_| rustix::process::geteuid().is_root());
        if user.is_some() {
            // This user may have no access to the build folder, so the binary is copied.
            program = workspace.base().join("cutline");
            // `cp` copies it in another process. If this process had the copy open for writing, a child that another
            // thread starts at that moment would inherit the descriptor, and the copy could not be executed.
            let copied = Command::new("cp").arg(&self.program).arg(&program).status();
            assert!(copied.is_ok_and(|status| status.success()), "the binary could not be copied");
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
