"""Builds the archive of a target: the binary and its documentation.

A zip file for Windows, a compressed tar file for all others. The same binary gives the same bytes:
names in order, one time, no owner.
"""

import gzip
import io
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

import product

# The file name of the completions for each shell.
COMPLETIONS = {
    "bash": "cutline.bash",
    "elvish": "cutline.elv",
    "fish": "cutline.fish",
    "powershell": "_cutline.ps1",
    "zsh": "_cutline",
}


def file_name(target):
    return f"{target.release_name}.{'zip' if target.os == 'win32' else 'tar.gz'}"


def build(target, binary, out):
    path = out / file_name(target)
    # For each file: its name, whether it is executable, and its bytes.
    files = [
        (f"{target.release_name}/{name}", name == target.binary_name, data)
        for name, data in sorted(contents(target, binary).items())
    ]
    write = write_zip if path.suffix == ".zip" else write_tar
    write(path, files, product.build_time())
    return path


def write_tar(path, files, built):
    with (
        path.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for name, started, data in files:
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            entry.mode = 0o755 if started else 0o644
            entry.mtime = built
            tar.addfile(entry, io.BytesIO(data))


def write_zip(path, files, built):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, started, data in files:
            entry = zipfile.ZipInfo(name, time.gmtime(built)[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            # The same attributes on any system: those of Unix.
            entry.create_system = 3
            entry.external_attr = (0o100755 if started else 0o100644) << 16
            packed.writestr(entry, data)


def contents(target, binary):
    """Returns the bytes of each file by its name in the archive."""
    pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", *product.LICENSES]
    docs = product.ROOT / "docs"
    pages += [str(page.relative_to(product.ROOT)) for kind in ("*.md", "*.svg") for page in docs.rglob(kind)]
    files = {name: (product.ROOT / name).read_bytes() for name in pages}
    files[target.binary_name] = binary.read_bytes()
    for shell, name in COMPLETIONS.items():
        files[f"completions/{name}"] = product.output([binary, "completions", shell]).encode()
    with tempfile.TemporaryDirectory() as folder:
        product.output([binary, "man", folder])
        files |= {f"man/{page.name}": page.read_bytes() for page in Path(folder).iterdir()}
    return files
