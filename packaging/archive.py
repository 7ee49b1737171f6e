"""Builds the archive of a target: the binary and its documentation.

The same binary gives the same bytes: names in order, one time, no owner.
"""

import gzip
import io
import tarfile
import tempfile
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
    return f"{target.release_name}.tar.gz"


def build(target, binary, out):
    path = out / file_name(target)
    # For each file: its name, whether it is executable, and its bytes.
    files = [
        (f"{target.release_name}/{name}", name == product.BINARY, data)
        for name, data in sorted(contents(binary).items())
    ]
    built = product.build_time()
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
    return path


def contents(binary):
    """Returns the bytes of each file by its name in the archive."""
    pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", *product.LICENSES]
    docs = product.ROOT / "docs"
    pages += [str(page.relative_to(product.ROOT)) for kind in ("*.md", "*.svg") for page in docs.rglob(kind)]
    files = {name: (product.ROOT / name).read_bytes() for name in pages}
    files[product.BINARY] = binary.read_bytes()
    for shell, name in COMPLETIONS.items():
        files[f"completions/{name}"] = product.output([binary, "completions", shell]).encode()
    with tempfile.TemporaryDirectory() as folder:
        product.output([binary, "man", folder])
        files |= {f"man/{page.name}": page.read_bytes() for page in Path(folder).iterdir()}
    return files
