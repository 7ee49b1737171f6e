#!/usr/bin/env python3
"""Builds all files of a release in one folder.

    cargo build --locked --profile dist --target TARGET
    packaging/release.py target TARGET
    packaging/release.py whole

Needs Python 3.11 or later, npm and git, and for `target` a binary that runs on this machine.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

# Do not write `__pycache__` next to these files.
sys.dont_write_bytecode = True

import archive
import bundle
import npm_packages
import product
import registry


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=product.ROOT / "target" / "packages", help="the release's folder")
    verbs = parser.add_subparsers(required=True)

    verb = verbs.add_parser("matrix", help="print the released targets, as a workflow's matrix")
    verb.set_defaults(run=print_matrix)

    verb = verbs.add_parser("target", help="archive, npm package and MCPB bundle of one target")
    verb.add_argument("target", help="a target of packaging/targets.json that is not planned")
    verb.add_argument("--binary", type=Path, help="the binary [default: target/TARGET/dist/cutline]")
    verb.add_argument("--mcpb", help="MCPB's tool [default: npx, in the version that is tested]")
    verb.set_defaults(run=build_target)

    verb = verbs.add_parser("whole", help="npm wrapper, server.json and SHA256SUMS, once every target is there")
    verb.set_defaults(run=build_whole)

    arguments = parser.parse_args()
    try:
        arguments.run(arguments)
    except product.Refused as refused:
        sys.exit(f"release: {refused}")
    except subprocess.CalledProcessError as failed:
        sys.exit(f"release: {failed}\n{failed.stdout or ''}")


def print_matrix(_arguments):
    rows = [{"target": target.target, "runner": target.runner} for target in product.released_targets()]
    print(json.dumps({"include": rows}))


def build_target(arguments):
    target = product.buildable_target(arguments.target)
    binary = arguments.binary or product.ROOT / "target" / target.target / "dist" / product.BINARY
    binary = binary.resolve()
    check_version(binary)
    mcpb = [arguments.mcpb] if arguments.mcpb else npx_mcpb()
    out = folder(arguments)
    print(archive.build(target, binary, out))
    print(npm_packages.build_platform(target, binary, out))
    print(bundle.build(target, binary, out, mcpb))


def build_whole(arguments):
    out = folder(arguments)
    check_folder(out)
    print(npm_packages.build_wrapper(out))
    if product.repository():
        print(registry.build(out))
    else:
        print("no server.json: it needs CUTLINE_REPOSITORY", file=sys.stderr)
    sums = out / "SHA256SUMS"
    files = sorted(path for path in out.iterdir() if path != sums)
    sums.write_text("".join(f"{registry.sha256(path)}  {path.name}\n" for path in files))
    print(sums)


def folder(arguments):
    arguments.out.mkdir(parents=True, exist_ok=True)
    return arguments.out.resolve()


def check_folder(out):
    """Refuses files of other versions or of planned targets, because all files in the folder are published."""
    targets = [target for target in product.targets() if target.state != "planned"]
    known = {"server.json", "SHA256SUMS"} | npm_packages.file_names(targets)
    known |= {named.file_name(target) for target in targets for named in (archive, bundle)}
    others = sorted(path.name for path in out.iterdir() if path.name not in known)
    if others:
        raise product.Refused(f"{out} has what is not of {product.version()}: {', '.join(others)}; take it away")


def check_version(binary):
    """Refuses a binary that does not run here or has another version."""
    try:
        said = product.output([binary, "--version"]).strip()
    except OSError as error:
        raise product.Refused(f"{binary} does not run here: {error}") from error
    if said != f"cutline {product.version()}":
        raise product.Refused(f"{binary} says {said!r}, Cargo.toml has {product.version()}")


def npx_mcpb():
    """Returns the command of the MCPB tool in the version that the tests use."""
    tested = product.load(product.ROOT / "tests" / "clients" / "package.json")["dependencies"]
    return ["npx", "--yes", f"@anthropic-ai/mcpb@{tested['@anthropic-ai/mcpb']}"]


if __name__ == "__main__":
    main()
