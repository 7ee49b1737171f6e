"""The archive of a target: the binary and what a person reads beside it.

The same binary gives the same bytes: names in order, one time, no owner.
"""

import gzip
import io
import tarfile

import product

# Where each shell looks for a name like this.
SHELLS = {"bash": "cutline.bash", "zsh": "_cutline", "fish": "cutline.fish"}


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
    pages = ["README.md", "CHANGELOG.md", *product.LICENSES]
    pages += [str(page.relative_to(product.ROOT)) for page in (product.ROOT / "docs").glob("*.md")]
    files = {name: (product.ROOT / name).read_bytes() for name in pages}
    files[target.binary_name] = binary.read_bytes()
    commands = commands_of(binary)
    if "completions" in commands:
        for shell, name in SHELLS.items():
            files[f"completions/{name}"] = product.output([binary, "completions", shell]).encode()
    if "man" in commands:
        files["man/cutline.1"] = product.output([binary, "man"]).encode()
    return files


def commands_of(binary):
    """The commands that its help lists."""
    lines = product.output([binary, "-h"]).splitlines()
    listed = lines[lines.index("Commands:") + 1 :]
    return {line.split()[0] for line in listed[: listed.index("")]}
