#!/usr/bin/python3
"""The wire of relay.py: packets arrive in order, not before their time, whole; nothing waits for the other direction."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import socket
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import relay  # noqa: E402


class Wire(unittest.TestCase):
    """Sockets that keep packets whole stand for the devices; the clock is the test's."""

    def setUp(self):
        self.near, source = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        target, self.far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.ends = [source, target]
        for end in [*self.ends, self.far]:
            end.setblocking(False)

    def tearDown(self):
        for end in [self.near, self.far, *self.ends]:
            end.close()

    def direction(self, rate, delay):
        return relay.Direction(*(end.fileno() for end in self.ends), rate, delay)

    def arrived(self):
        try:
            return self.far.recv(relay.LARGEST_PACKET)
        except BlockingIOError:
            return None

    def test_a_packet_takes_its_time_at_the_rate_and_the_delay(self):
        wire = self.direction(rate=8000, delay=2)  # 1000 bytes a second
        self.near.send(bytes(500))
        wire.take(now=10)
        self.assertEqual(wire.next_arrival(), 12.5)
        wire.deliver(now=12.4)
        self.assertIsNone(self.arrived())
        wire.deliver(now=12.5)
        self.assertEqual(self.arrived(), bytes(500))
        self.assertIsNone(wire.next_arrival())

    def test_packets_leave_one_after_the_other(self):
        wire = self.direction(rate=8000, delay=2)
        for letter in b"ab":
            self.near.send(bytes([letter]) * 1000)
        wire.take(now=0)
        wire.deliver(now=3)
        self.assertEqual((self.arrived(), self.arrived()), (b"a" * 1000, None))
        wire.deliver(now=4)
        self.assertEqual(self.arrived(), b"b" * 1000)

    def test_an_idle_wire_saves_nothing_up(self):
        wire = self.direction(rate=8000, delay=0)
        self.near.send(bytes(1000))
        wire.take(now=100)
        self.assertEqual(wire.next_arrival(), 101)

    def test_without_a_rate_there_is_only_the_delay(self):
        wire = self.direction(rate=0, delay=1)
        self.near.send(bytes(60000))
        wire.take(now=5)
        self.assertEqual(wire.next_arrival(), 6)

    def test_a_full_queue_drops(self):
        wire = self.direction(rate=8000, delay=0)
        wire.bytes = relay.QUEUE_BYTES + 1
        self.near.send(b"lost")
        wire.take(now=0)
        self.assertIsNone(wire.next_arrival())


class Process(unittest.TestCase):
    def test_it_carries_both_ways_and_stops(self):
        sockets = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in "ab"]
        (near, source), (far, target) = sockets
        devices = [os.dup(end.fileno()) for end in (source, target)]
        for device in devices:
            os.set_blocking(device, False)
        wire = relay.start(devices, rate=0, delay=0.001)
        try:
            near.send(b"there")
            self.assertEqual(far.recv(100), b"there")
            far.send(b"and back")
            self.assertEqual(near.recv(100), b"and back")
        finally:
            relay.stop(wire)
            for pair in sockets:
                for end in pair:
                    end.close()
        with self.assertRaises(OSError):
            os.kill(wire[0], 0)


if __name__ == "__main__":
    unittest.main()
