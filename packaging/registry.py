"""Builds `server.json` for the MCP registry from the files in the folder of the release.

packaging/server.json has what does not depend on where it is published; names, addresses and the
hashes of the bundles are added here.
"""

import hashlib

import bundle
import product


def build(out):
    server = product.load(product.PACKAGING / "server.json") | {
        "name": product.server_name(),
        "repository": {"url": product.repository(), "source": "github"},
    }
    for published in server["packages"]:
        if published["registryType"] == "oci":
            published["identifier"] = f"ghcr.io/{product.github_owner().lower()}/cutline:{product.version()}"
    server["packages"] += [package(path) for path in bundles(out)]
    path = out / "server.json"
    product.save(path, server)
    return path


def bundles(out):
    """Returns the existing bundles in the order of targets.json, because clients can use the first one."""
    named = [out / bundle.file_name(target) for target in product.targets()]
    return [path for path in named if path.exists()]


def package(path):
    return {
        "registryType": "mcpb",
        "identifier": product.release_url(path.name),
        "fileSha256": sha256(path),
        "transport": {"type": "stdio"},
    }


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()
