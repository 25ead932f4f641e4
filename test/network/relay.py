"""A wire in user space, for kernels that cannot delay packets themselves: two tun devices and a process that hands the
packets of each to the other, at a rate and after a delay. Both directions have the rate for themselves.

A packet leaves when those before it have left and its own bytes have had their time at the rate, and arrives `delay` later,
as with `tc netem rate delay`. Nothing is dropped before QUEUE_BYTES wait in one direction.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import fcntl
import os
import select
import signal
import struct
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x1, 0x1000
LARGEST_PACKET = 65536
QUEUE_BYTES = 64 << 20


class Direction:
    """What goes from one device to the other. Rate in bit a second (0: unlimited), delay in seconds."""

    def __init__(self, source, target, rate, delay):
        self.source, self.target, self.rate, self.delay = source, target, rate, delay
        self.free_at = 0.0  # when the last packet will have left
        self.underway = collections.deque()  # (time of arrival, packet)
        self.bytes = 0

    def take(self, now):
        """Reads all packets that wait."""
        while True:
            try:
                packet = os.read(self.source, LARGEST_PACKET)
            except BlockingIOError:
                return
            if self.bytes > QUEUE_BYTES:
                continue
            self.free_at = max(self.free_at, now) + (len(packet) * 8 / self.rate if self.rate else 0)
            self.underway.append((self.free_at + self.delay, packet))
            self.bytes += len(packet)

    def deliver(self, now):
        while self.underway and self.underway[0][0] <= now:
            _, packet = self.underway.popleft()
            self.bytes -= len(packet)
            try:
                os.write(self.target, packet)
            except OSError:  # the device is not up yet, or full: the packet is lost, as on a wire
                pass

    def next_arrival(self):
        return self.underway[0][0] if self.underway else None


def open_device(name):
    """Makes a tun device, which lives until the file that is returned is closed in all processes."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    return device


def relay(devices, rate, delay, until):
    """Carries packets between `devices` until the file `until` ends: then the process that asked for the wire is gone."""
    directions = [Direction(*devices, rate, delay), Direction(*reversed(devices), rate, delay)]
    while True:
        arrivals = [time for time in (direction.next_arrival() for direction in directions) if time is not None]
        wait = max(0.0, min(arrivals) - time.monotonic()) if arrivals else None
        ready = select.select([*devices, until], [], [], wait)[0]
        if until in ready:
            return
        now = time.monotonic()
        for direction in directions:
            if direction.source in ready:
                direction.take(now)
            direction.deliver(now)


def start(devices, rate, delay):
    """Starts a process that relays until `stop`, or until this process ends. `devices` are closed here."""
    until, alive = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(alive)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it, after the ranks
        try:
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))  # a wire does not wait for a cpu
        except OSError:
            pass
        try:
            relay(devices, rate, delay, until)
        finally:
            os._exit(0)
    os.close(until)
    for device in devices:
        os.close(device)
    return child, alive


def stop(wire):
    child, alive = wire
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)
    os.close(alive)
