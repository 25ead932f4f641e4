"""link.py [OPTIONS] COMMAND...: runs COMMAND as ranks in two network namespaces joined by one link, and takes the
namespaces away again. Needs root.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

  --rate MBIT          megabit a second in each direction (default: as fast as the kernel hands packets over)
  --delay MS           milliseconds from one end to the other (default: none)
  --ranks-per-side L   ranks 0 to L-1 on side a, L to 2L-1 on side b (default: 2)
  --nodes              tells ranks their side as their node (TUTTI_NODE): memory is shared within a side only
  --least-kib N        fail if less was carried to side a: the ranks did not really use the link
  --most-kib N         fail if more was
  --probe              run nothing: end with 0 if this user, on this kernel, can make such a link, else with 1 and the reason

Each rank gets RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE and `--interface DEVICE`; Gloo needs `--backend gloo
--rendezvous FOLDER` besides. Prints what ranks print and `the link carried N KiB`; ends with 1 if a rank failed.

The link is a pair of veth devices; with a rate or a delay, `tc netem` at both ends where the kernel has it, else the wire
of relay.py, which does the same in a process of its own. Python programs use the class:

    with Link(rate_mbit=200, delay_ms=1) as link:
        process = link.popen(side, command, env={...})   # a subprocess.Popen within namespace `side`, 0 or 1
        link.devices[side], link.address(side), link.received_bytes(side)
"""
import argparse
import os
import subprocess
import sys

import relay

MTU = 9000


def ip(*arguments, check=True):
    return subprocess.run(["ip", *arguments], check=check, capture_output=True, text=True).stdout


class Link:
    """Two namespaces and what joins them, for the time of a `with`."""

    count = 0

    def __init__(self, rate_mbit=0, delay_ms=0):
        self.rate_mbit, self.delay_ms = rate_mbit, delay_ms
        Link.count += 1
        self.namespaces = [f"tutti-{os.getpid()}-{Link.count}{side}" for side in "ab"]
        self.devices = [f"tutti{os.getpid() % 100000}{Link.count}{side}" for side in "ab"]
        self.wire = None
        self.kind = "veth"  # or "netem", "relay": what paces packets

    def __enter__(self):
        try:
            for name in self.namespaces:
                ip("netns", "add", name)
            if not (self.rate_mbit or self.delay_ms):
                self._join_by_veth()
            elif not self._join_by_netem():
                self._join_by_relay()
            for side in (0, 1):
                self._open(side)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in self.namespaces:
            ip("netns", "del", name, check=False)
        if self.wire:
            relay.stop(self.wire)
            self.wire = None

    def address(self, side):
        return f"10.77.0.{side + 1}"

    def popen(self, side, command, **options):
        return subprocess.Popen(["ip", "netns", "exec", self.namespaces[side], *command], **options)

    def received_bytes(self, side):
        """What the device of `side` has received, with the headers of packets."""
        file = f"/sys/class/net/{self.devices[side]}/statistics/rx_bytes"
        return int(subprocess.run(["ip", "netns", "exec", self.namespaces[side], "cat", file], check=True,
                                  capture_output=True).stdout)

    def _open(self, side):
        name, device = self.namespaces[side], self.devices[side]
        ip("-n", name, "address", "add", f"{self.address(side)}/24", "dev", device)
        ip("-n", name, "link", "set", device, "mtu", str(MTU), "txqueuelen", "10000", "up")
        ip("-n", name, "link", "set", "lo", "up")

    def _join_by_veth(self):
        ip("link", "add", self.devices[0], "netns", self.namespaces[0], "type", "veth",
           "peer", "name", self.devices[1], "netns", self.namespaces[1])

    def _join_by_netem(self):
        """Whether this kernel can."""
        self._join_by_veth()
        rate = ["rate", f"{self.rate_mbit}mbit"] if self.rate_mbit else []
        for name, device in zip(self.namespaces, self.devices):
            made = subprocess.run(["tc", "-n", name, "qdisc", "add", "dev", device, "root", "netem", *rate,
                                   "delay", f"{self.delay_ms}ms", "limit", "100000"], capture_output=True)
            if made.returncode != 0:
                ip("-n", self.namespaces[0], "link", "del", self.devices[0])
                return False
        self.kind = "netem"
        return True

    def _join_by_relay(self):
        files = [relay.open_device(device) for device in self.devices]
        self.wire = relay.start(files, self.rate_mbit * 1e6, self.delay_ms / 1e3)
        for name, device in zip(self.namespaces, self.devices):
            ip("link", "set", device, "netns", name)
        self.kind = "relay"


def rank_environment(rank, options):
    per_side = options.ranks_per_side
    environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(2 * per_side),
                   "LOCAL_RANK": str(rank % per_side), "LOCAL_WORLD_SIZE": str(per_side)}
    if options.nodes:
        environment["TUTTI_NODE"] = "ab"[rank // per_side]
    return environment


def run_ranks(link, options):
    """Whether all ranks ended well."""
    ranks = []
    try:
        for rank in range(2 * options.ranks_per_side):
            side = rank // options.ranks_per_side
            ranks.append(link.popen(side, [*options.command, "--interface", link.devices[side]],
                                    env=rank_environment(rank, options)))
        return all([process.wait(timeout=options.timeout) == 0 for process in ranks])
    finally:
        for process in ranks:
            process.kill()
            process.wait()


def read_options():
    parser = argparse.ArgumentParser(description="Runs ranks in two networks joined by one link.")
    parser.add_argument("--rate", type=float, default=0, metavar="MBIT")
    parser.add_argument("--delay", type=float, default=0, metavar="MS")
    parser.add_argument("--ranks-per-side", type=int, default=2, metavar="L")
    parser.add_argument("--nodes", action="store_true")
    parser.add_argument("--least-kib", type=int, default=0, metavar="N")
    parser.add_argument("--most-kib", type=int, default=1 << 40, metavar="N")
    parser.add_argument("--timeout", type=int, default=120, metavar="SECONDS")
    parser.add_argument("--probe", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser.parse_args()


def probe(options):
    """Makes the link, asks something in both namespaces, and takes it away: what a rank would need, and no less."""
    try:
        with Link(options.rate, options.delay) as link:
            for side in (0, 1):
                link.received_bytes(side)
    except subprocess.CalledProcessError as error:
        reason = (error.stderr or b"")
        sys.exit(f"{' '.join(error.cmd)}: {reason if isinstance(reason, str) else reason.decode()}".strip())
    except OSError as error:
        sys.exit(str(error))


def main():
    options = read_options()
    if options.probe:
        return probe(options)
    with Link(options.rate, options.delay) as link:
        is_well = run_ranks(link, options)
        carried = link.received_bytes(0) // 1024
    print(f"the link carried {carried} KiB")
    sys.exit(not (is_well and options.least_kib <= carried <= options.most_kib))


if __name__ == "__main__":
    main()
