"""Builds the npm packages: one for each platform with its binary, and a wrapper that starts the right one.

The wrapper lists the others as optional dependencies, of which npm installs the one whose `os` and
`cpu` are the machine's. Nothing is downloaded by a script.
"""

import shutil
import tempfile
from pathlib import Path

import product

WRAPPER = product.PACKAGING / "npm"


def file_names(targets):
    """Returns the file names of the npm packages of these targets and of the wrapper."""
    wrapper = product.load(WRAPPER / "package.json")
    packages = [wrapper["name"], *(f"{wrapper['name']}-{target.platform}" for target in targets)]
    return {f"{package}-{wrapper['version']}.tgz" for package in packages}


def build_platform(target, binary, out):
    wrapper = product.load(WRAPPER / "package.json")
    about = {key: wrapper[key] for key in ("version", "license", "engines")}
    manifest = {
        "name": f"{wrapper['name']}-{target.platform}",
        "description": f"The cutline binary for {target.target}; install {wrapper['name']}, which starts it",
        **about,
        "os": [target.os],
        "cpu": [target.cpu],
        "files": ["bin", *product.LICENSES],
    }
    if target.libc:
        manifest["libc"] = [target.libc]
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder)
        placed = stage / "bin" / product.BINARY
        placed.parent.mkdir()
        shutil.copyfile(binary, placed)
        placed.chmod(0o755)
        return pack(stage, manifest, out)


def build_wrapper(out):
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder)
        shutil.copytree(WRAPPER, stage, dirs_exist_ok=True)
        manifest = product.load(WRAPPER / "package.json")
        if product.repository():
            # The registry uses this name to verify that the package belongs to the server.
            manifest["mcpName"] = product.server_name()
        return pack(stage, manifest, out)


def pack(stage, manifest, out):
    """Packs a folder with this package.json. Returns the path of the package."""
    if product.repository():
        manifest["repository"] = {"type": "git", "url": f"git+{product.repository()}.git"}
    for name in product.LICENSES:
        shutil.copyfile(product.ROOT / name, stage / name)
    product.save(stage / "package.json", manifest)
    command = ["npm", "pack", str(stage), "--pack-destination", str(out), "--loglevel=error"]
    return out / product.output(command).split()[-1]
