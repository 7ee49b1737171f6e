"""Facts about the release: the version, the targets, and where it is published.

Cargo.toml has the version, targets.json the targets. `CUTLINE_REPOSITORY` is the URL of the repository, if
Cargo.toml has no `repository`.
"""

import json
import os
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGING = ROOT / "packaging"
# The file name of the program.
BINARY = "cutline"
LICENSES = ["LICENSE-APACHE", "LICENSE-MIT"]


class Refused(Exception):
    """The request cannot be built. The message is for the user."""


@dataclass(frozen=True)
class Target:
    """A target of targets.json.

    Released targets have static binaries. Local targets are for tests of the packages. Planned targets have never
    run on their system, and nothing is packaged for them.
    """

    target: str
    os: str
    cpu: str
    state: str
    why: str
    runner: str | None = None
    libc: str | None = None

    @property
    def release_name(self):
        """Returns the start of the names of the archive and the bundle."""
        return f"cutline-{version()}-{self.target}"

    @property
    def platform(self):
        """Returns the platform name of Node, which is the end of npm package names."""
        return f"{self.os}-{self.cpu}"


def targets():
    return [Target(**row) for row in load(PACKAGING / "targets.json")]


def released_targets():
    return [target for target in targets() if target.state == "released"]


def buildable_target(name):
    """Returns the target with this name. Refuses targets without working packages."""
    found = next((target for target in targets() if target.target == name), None)
    if found is None:
        raise Refused(f"{name} is not in packaging/targets.json")
    if found.state == "planned":
        raise Refused(f"{name} is planned, nothing is packaged for it: {found.why}")
    return found


def cargo_package():
    return tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]


def version():
    return cargo_package()["version"]


def repository():
    """Returns the URL of the repository without a slash at the end, or None if it is not configured."""
    url = os.environ.get("CUTLINE_REPOSITORY") or cargo_package().get("repository")
    return url.rstrip("/") if url else None


def github_owner():
    """Returns the owner of the repository on GitHub. Names in the registry and of the image start with it."""
    url = repository()
    if url is None:
        raise Refused("CUTLINE_REPOSITORY is not set, and Cargo.toml has no repository")
    start = "https://github.com/"
    owner, _, name = url.removeprefix(start).partition("/")
    if not url.startswith(start) or not owner or not name or "/" in name:
        raise Refused(f"not a repository on GitHub: {url}")
    return owner


def server_name():
    """Returns the name in the MCP registry. The registry verifies it by the owner of the repository."""
    return f"io.github.{github_owner()}/{cargo_package()['name']}"


def release_url(file_name):
    """Returns the URL of this file in a release."""
    return f"{repository()}/releases/download/v{version()}/{file_name}"


def build_time():
    """Returns the time of the commit in seconds since 1970. Archives use it as the time of all files."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given or output(["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]))


def load(path):
    return json.loads(path.read_text())


def save(path, value):
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def output(command):
    """Returns the output of a command. If the command fails, the build ends."""
    return subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout
