"""Starts and stops network-relay (relay.cpp): a wire in user space, for kernels that cannot delay packets themselves. It is
a process that hands the packets of each of two tun devices to the other, at a rate and after a delay; both directions have
the rate for themselves.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import fcntl
import os
import pathlib
import shutil
import struct
import subprocess

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x1, 0x1000
BUILT = pathlib.Path(__file__).resolve().parents[2] / "build" / "bin" / "network-relay"


def open_device(name):
    """Makes a tun device, which lives until the file that is returned is closed in all processes."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    return device


def start(devices, rate, delay, program=None):
    """Starts a wire of `rate` bit a second (0: unlimited) and `delay` seconds that relays until `stop`, or until this
    process ends. `devices` are closed here. `program` is network-relay: on the PATH, or where this tree builds it."""
    program = program or shutil.which("network-relay") or BUILT
    until, alive = os.pipe()
    files = [*devices, until]
    try:
        # A session of its own: an interrupt is for the ranks; the wire ends after them.
        process = subprocess.Popen([program, *map(str, files), str(rate), str(delay)], pass_fds=files,
                                   start_new_session=True)
    except OSError:
        os.close(alive)
        raise
    finally:
        for file in files:
            os.close(file)
    return process, alive


def stop(wire):
    process, alive = wire
    os.close(alive)
    process.wait(timeout=10)
