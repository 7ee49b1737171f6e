"""Builds all files of a release from a binary, and uses each file as its users do.

Usage: packages.py PATH_TO_CUTLINE PATH_TO_MCPB

The archive is unpacked, the npm packages are installed by npm and started by npx, the MCPB bundle is
unpacked and started as its manifest says. npm is offline: nothing but these packages is there to be
found. Any difference ends it with a traceback.
"""

import asyncio
import hashlib
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from mcp import Client, StdioServerParameters, stdio_client

ROOT = Path(__file__).resolve().parents[2]
# The modules of the release script.
sys.path.insert(0, str(ROOT / "packaging"))
sys.dont_write_bytecode = True
import product

TOOLS = ["read", "bash", "grep", "find", "ls"]
TIMEOUT_SECS = 300


def equal(found, expected):
    assert found == expected, f"expected {expected!r}, found {found!r}"


def run(*command, **options):
    """Runs a command. Accepts any exit code."""
    options = {"stdin": subprocess.DEVNULL, "timeout": TIMEOUT_SECS, **options}
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)


def done(*command, **options):
    """Runs a command that must succeed. Returns its output."""
    ended = run(*command, **options)
    assert ended.returncode == 0, ended
    return ended.stdout


def release(out, *arguments, **environment):
    """Runs a step of the release script. Returns the built files."""
    script = ROOT / "packaging" / "release.py"
    printed = done(sys.executable, script, "--out", out, *arguments, env={**os.environ, **environment})
    return [Path(line) for line in printed.splitlines()]


async def drive(command, workspace, folder):
    """A session with a server that is started in a folder: the list, and calls of two tools."""
    (workspace / "a.txt").write_text("one\ntwo\n")
    parameters = StdioServerParameters(
        command=command[0], args=command[1:], cwd=str(folder), env=dict(os.environ)
    )
    async with Client(stdio_client(parameters)) as client:
        equal([tool.name for tool in (await client.list_tools()).tools], TOOLS)
        result = await client.call_tool("grep", {"pattern": "two"}, read_timeout_seconds=TIMEOUT_SECS)
        equal(result.content[0].text, "a.txt:2: two")
        result = await client.call_tool("bash", {"command": "echo hi"}, read_timeout_seconds=TIMEOUT_SECS)
        equal(result.content[0].text, "hi\n")


def session(command, workspace, folder):
    asyncio.run(asyncio.wait_for(drive(command, workspace, folder), TIMEOUT_SECS))


def check_archive(path, again, target, version, base):
    equal(again.read_bytes(), path.read_bytes())
    unpacked = base / "archive"
    with tarfile.open(path) as tar:
        equal({(entry.uid, entry.gid) for entry in tar}, {(0, 0)})
        tar.extractall(unpacked, filter="data")
    folder = unpacked / path.name.removesuffix(".tar.gz")
    for name in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "docs/tools.md", "docs/clients/README.md"]:
        equal((folder / name).read_text(), (ROOT / name).read_text())
    equal(done(folder / "cutline", "--version"), f"cutline {version}\n")
    for shell, name in [("bash", "cutline.bash"), ("fish", "cutline.fish"), ("zsh", "_cutline")]:
        equal((folder / "completions" / name).read_text(), done(folder / "cutline", "completions", shell))
    assert {"cutline.1", "cutline-call.1"} <= {page.name for page in (folder / "man").iterdir()}
    check_binstall(path, unpacked, target, version)
    print("archive: ok")


def check_binstall(path, unpacked, target, version):
    """Checks that cargo binstall finds the archive, its format, and the binary in it."""
    binstall = product.cargo_package()["metadata"]["binstall"]
    names = {"repo": "", "name": "cutline", "version": version, "target": target}
    names |= {"bin": "cutline", "binary-ext": ""}
    equal(filled_in(binstall["pkg-url"], names), f"/releases/download/v{version}/{path.name}")
    equal(binstall["pkg-fmt"], "tgz")
    equal(filled_in(binstall["bin-dir"], names), f"{path.name.removesuffix('.tar.gz')}/cutline")
    assert (unpacked / filled_in(binstall["bin-dir"], names)).is_file(), binstall


def filled_in(template, names):
    for name, value in names.items():
        template = template.replace(f"{{ {name} }}", value)
    return template


def check_npm(tarballs, cutline, version, base, workspace):
    folder = base / "npm"
    folder.mkdir()
    (folder / "package.json").write_text('{"private": true}')
    npm = ["--offline", "--no-audit", "--no-fund", "--loglevel=error"]
    done("npm", "install", *npm, *tarballs, cwd=folder)
    npx = ["npx", "--offline", "cutline-mcp"]
    equal(done(*npx, "--version", cwd=folder), f"cutline {version}\n")
    started = folder / "node_modules" / ".bin" / "cutline"
    for command in ([str(started)], npx):
        session([*command, "--root", str(workspace)], workspace, folder)

    for arguments in [["call", "read", "path=missing"], ["--no-such-flag"]]:
        through, direct = (run(binary, *arguments, cwd=workspace) for binary in (started, cutline))
        for what in ("returncode", "stdout", "stderr"):
            equal(getattr(through, what), getattr(direct, what))
    for number in [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]:
        equal(*(ended_by(number, [binary], workspace) for binary in (started, cutline)))
    # If a signal ends the binary, the wrapper ends with the same signal.
    binary = folder / "node_modules" / f"cutline-mcp-{node_platform()}" / "bin" / "cutline"
    binary.write_text("#!/bin/sh\nkill -KILL $$\n")
    equal(run(started).returncode, -signal.SIGKILL)

    # One platform has no package. Another package was skipped by npm.
    launcher = folder / "node_modules" / "cutline-mcp" / "bin" / "cutline.js"
    elsewhere = "Object.defineProperty(process, 'platform', {value: 'sunos'})"
    refused = run("node", "-e", f"{elsewhere}; require({json.dumps(str(launcher))})")
    equal(refused.returncode, 1)
    equal(refused.stdout, "")
    assert f"there is no binary for sunos-{node_platform().split('-')[1]}" in refused.stderr, refused
    shutil.rmtree(binary.parents[1])
    refused = run(started)
    equal(refused.returncode, 1)
    assert f"the package cutline-mcp-{node_platform()} is not installed" in refused.stderr, refused
    print("npm: ok")


def node_platform():
    return done("node", "-p", "process.platform + '-' + process.arch").strip()


def ended_by(number, command, workspace):
    """Sends a signal to a server after its first response. Returns the exit code."""
    server = subprocess.Popen(command, cwd=workspace, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        server.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        server.stdin.flush()
        assert '"id":1' in server.stdout.readline()
        server.send_signal(number)
        return server.wait(TIMEOUT_SECS)
    finally:
        server.kill()
        server.communicate()


def check_bundle(path, mcpb, base, workspace):
    folder = base / "bundle"
    done(mcpb, "unpack", path, folder)
    done(mcpb, "validate", folder / "manifest.json")
    # The code of MCPB returns the command that a client starts, from the manifest and the settings of the user.
    package = mcpb.resolve().parents[2]
    ask = f"""
        import {{ getMcpConfigForManifest }} from {json.dumps(str(package / "dist" / "index.js"))};
        import {{ readFileSync }} from 'node:fs';
        const [extensionPath, root] = process.argv.slice(1);
        const manifest = JSON.parse(readFileSync(extensionPath + '/manifest.json', 'utf8'));
        console.log(JSON.stringify(await getMcpConfigForManifest({{
            manifest, extensionPath, systemDirs: {{}}, userConfig: {{ root }}, pathSeparator: '/',
        }})));
    """
    config = json.loads(done("node", "--input-type=module", "-e", ask, folder, workspace))
    session([config["command"], *config["args"]], workspace, base)
    print("bundle: ok")


def check_server_json(path, bundle):
    server = json.loads(path.read_text())
    equal(server["name"], "io.github.Example/cutline")
    packages = {package["registryType"]: package for package in server["packages"]}
    equal(packages["oci"]["identifier"], f"ghcr.io/example/cutline:{server['version']}")
    equal(packages["mcpb"]["fileSha256"], hashlib.sha256(bundle.read_bytes()).hexdigest())
    address = f"https://github.com/Example/cutline/releases/download/v{server['version']}/{bundle.name}"
    equal(packages["mcpb"]["identifier"], address)
    print("server.json: ok")


def check_sums(path):
    lines = path.read_text().splitlines()
    others = {file.name for file in path.parent.iterdir()} - {path.name}
    equal([line.split("  ")[1] for line in lines], sorted(others))
    done("sha256sum", "--check", "--strict", path.name, cwd=path.parent)
    print("SHA256SUMS: ok")


def check_refused(out):
    """Checks that planned targets and files of other versions are refused."""
    for target, why in [("aarch64-apple-darwin", "planned"), ("riscv64gc-unknown-linux-gnu", "not in")]:
        refused = run(sys.executable, ROOT / "packaging" / "release.py", "--out", out, "target", target)
        equal(refused.returncode, 1)
        assert f"release: {target} is {why}" in refused.stderr, refused
    older = out / "cutline-0.0.9-x86_64-unknown-linux-musl.tar.gz"
    older.write_text("of an older version")
    sums = (out / "SHA256SUMS").read_bytes()
    refused = run(sys.executable, ROOT / "packaging" / "release.py", "--out", out, "whole")
    equal(refused.returncode, 1)
    assert f"has what is not of {product.version()}: {older.name}" in refused.stderr, refused
    equal((out / "SHA256SUMS").read_bytes(), sums)
    print("refused: ok")


def main():
    mcpb = Path(sys.argv[2]).absolute()
    published = {"CUTLINE_REPOSITORY": "https://github.com/Example/cutline"}
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder).resolve()
        os.environ.update(CUTLINE_LOG="error", CUTLINE_SPILL_DIR=str(base))
        # Four fifths of a debug build are debug information. Without it, packing is faster.
        cutline = base / "cutline"
        done("strip", "-o", cutline, sys.argv[1])
        version = done(cutline, "--version").split()[1]
        target = f"{platform.machine()}-unknown-linux-gnu"
        step = ["target", target, "--binary", cutline, "--mcpb", mcpb]
        workspace = base / "workspace"
        workspace.mkdir()
        archive, npm, bundle = release(base / "out", *step, **published)
        again, *_ = release(base / "again", *step, **published)
        wrapper, server, sums = release(base / "out", "whole", **published)
        check_archive(archive, again, target, version, base)
        check_npm([wrapper, npm], cutline, version, base, workspace)
        check_bundle(bundle, mcpb, base, workspace)
        check_server_json(server, bundle)
        check_sums(sums)
        check_refused(base / "out")


if __name__ == "__main__":
    main()
