"""Builds the MCPB bundle of a target for Claude Desktop: mcpb/manifest.json and the binary.

A bundle can tell systems apart but not processors, so there is one for each target. `mcpb pack`
writes the time of packing into it: the same input gives other bytes.
"""

import shutil
import tempfile
from pathlib import Path

import product

MANIFEST = product.PACKAGING / "mcpb" / "manifest.json"


def file_name(target):
    return f"{target.release_name}.mcpb"


def manifest_for(target):
    """Returns the manifest with the system and the binary name of this target."""
    manifest = product.load(MANIFEST)
    server = manifest["server"]
    server["entry_point"] = f"server/{product.BINARY}"
    server["mcp_config"]["command"] = f"${{__dirname}}/{server['entry_point']}"
    manifest["compatibility"]["platforms"] = [target.os]
    return manifest


def build(target, binary, out, mcpb):
    """Builds the bundle. `mcpb` is the command of the MCPB tool."""
    manifest = manifest_for(target)
    if product.repository():
        manifest["repository"] = {"type": "git", "url": product.repository()}
    path = out / file_name(target)
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder)
        placed = stage / manifest["server"]["entry_point"]
        placed.parent.mkdir()
        shutil.copyfile(binary, placed)
        placed.chmod(0o755)
        for name in product.LICENSES:
            shutil.copyfile(product.ROOT / name, stage / name)
        product.save(stage / "manifest.json", manifest)
        product.output([*mcpb, "validate", str(stage / "manifest.json")])
        product.output([*mcpb, "pack", str(stage), str(path)])
    return path
