"""What is released: the version, the targets, and where it is published.

The version stands in Cargo.toml, the targets in targets.json. Where it is published is not known to
the project: `CUTLINE_REPOSITORY` says it, or `repository` in Cargo.toml once that is settled.
"""

import json
import os
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGING = ROOT / "packaging"
LICENSES = ["LICENSE-APACHE", "LICENSE-MIT"]


class Refused(Exception):
    """What was asked for can't be built; the reason is for the person who asked."""


@dataclass(frozen=True)
class Target:
    """A row of targets.json; docs/releasing.md says what each state means."""

    target: str
    os: str
    cpu: str
    state: str
    why: str
    runner: str | None = None
    libc: str | None = None

    @property
    def binary_name(self):
        return "cutline.exe" if self.os == "win32" else "cutline"

    @property
    def release_name(self):
        """What the names of its archive and its bundle begin with."""
        return f"cutline-{version()}-{self.target}"

    @property
    def platform(self):
        """The platform as Node names it, with which npm packages end."""
        return f"{self.os}-{self.cpu}"


def targets():
    return [Target(**row) for row in load(PACKAGING / "targets.json")]


def released_targets():
    return [target for target in targets() if target.state == "released"]


def buildable_target(name):
    """The target of that name, where packages of it would work."""
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
    """The URL of the repository, without a slash at the end; None where nobody has said it."""
    url = os.environ.get("CUTLINE_REPOSITORY") or cargo_package().get("repository")
    return url.rstrip("/") if url else None


def github_owner():
    """The owner of the repository on GitHub: the registry's names and the image's begin with it."""
    url = repository()
    if url is None:
        raise Refused("CUTLINE_REPOSITORY is not set, and Cargo.toml has no repository")
    start = "https://github.com/"
    owner, _, name = url.removeprefix(start).partition("/")
    if not url.startswith(start) or not owner or not name or "/" in name:
        raise Refused(f"not a repository on GitHub: {url}")
    return owner


def server_name():
    """The name in the MCP registry, whose owner is shown by the repository's."""
    return f"io.github.{github_owner()}/{cargo_package()['name']}"


def release_url(file_name):
    """Where a release has this file."""
    return f"{repository()}/releases/download/v{version()}/{file_name}"


def build_time():
    """Seconds since 1970 that archives give as the time of all they hold: the commit's."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given or output(["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]))


def load(path):
    return json.loads(path.read_text())


def save(path, value):
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def output(command):
    """What a command prints. A command that fails ends the build, after what it said on stderr."""
    return subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout
