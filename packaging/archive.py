"""The archive of a target: the binary and what a person reads beside it.

The same binary gives the same bytes: names in order, one time, no owner.
"""

import gzip
import io
import tarfile
import tempfile
from pathlib import Path

import product

# Of what each shell completes, the file's name as that shell looks for it.
COMPLETIONS = {
    "bash": "cutline.bash",
    "elvish": "cutline.elv",
    "fish": "cutline.fish",
    "powershell": "_cutline.ps1",
    "zsh": "_cutline",
}


def build(target, binary, out):
    name = f"cutline-{product.version()}-{target.target}"
    path = out / f"{name}.tar.gz"
    files = contents(target, binary)
    time = product.build_time()
    with (
        path.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for file_name in sorted(files):
            data = files[file_name]
            entry = tarfile.TarInfo(f"{name}/{file_name}")
            entry.size = len(data)
            entry.mode = 0o755 if file_name == target.binary_name else 0o644
            entry.mtime = time
            tar.addfile(entry, io.BytesIO(data))
    return path


def contents(target, binary):
    """Bytes of each file, by its name in the archive."""
    pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", *product.LICENSES]
    pages += [str(page.relative_to(product.ROOT)) for page in (product.ROOT / "docs").rglob("*.md")]
    files = {name: (product.ROOT / name).read_bytes() for name in pages}
    files[target.binary_name] = binary.read_bytes()
    for shell, name in COMPLETIONS.items():
        files[f"completions/{name}"] = product.output([binary, "completions", shell]).encode()
    with tempfile.TemporaryDirectory() as folder:
        product.output([binary, "man", folder])
        files |= {f"man/{page.name}": page.read_bytes() for page in Path(folder).iterdir()}
    return files
