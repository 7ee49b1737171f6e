"""Restricts this process and its children to loopback.

Linux gives a process a network namespace of its own: as root, or in a user namespace. Where neither is allowed (in many
containers), programs that heed proxy variables are sent to a port where nothing listens.
"""

import ctypes
import fcntl
import os
import socket
import struct
from pathlib import Path

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
NOWHERE = "http://127.0.0.1:9"


def enter_loopback():
    """Enters a network namespace with only loopback. Returns True on success.

    Must be called while there is only one thread, and after all work that needs a network.
    """
    user, group = os.getuid(), os.getgid()
    unshare = getattr(ctypes.CDLL(None), "unshare", None)
    if unshare is None:
        return False
    if unshare(CLONE_NEWNET) != 0:
        if unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
            return False
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh", b"lo", IFF_UP).ljust(40, b"\0"))
    return True


def proxy_variables():
    """Returns proxy variables for agents, for systems without such a namespace."""
    names = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
    local = "127.0.0.1,localhost"
    return {**dict.fromkeys(names, NOWHERE), "NO_PROXY": local, "no_proxy": local}
