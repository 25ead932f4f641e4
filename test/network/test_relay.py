#!/usr/bin/python3
"""test_relay.py NETWORK-RELAY: the wire carries both ways and ends with whoever asked for it."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import socket
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import relay  # noqa: E402

PROGRAM = sys.argv.pop(1)


class Process(unittest.TestCase):
    def setUp(self):
        self.sockets = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in "ab"]
        (self.near, source), (self.far, target) = self.sockets
        self.near.settimeout(10)
        self.far.settimeout(10)
        devices = [os.dup(end.fileno()) for end in (source, target)]
        for device in devices:
            os.set_blocking(device, False)
        self.wire = relay.start(devices, rate=0, delay=0.001, program=PROGRAM)

    def tearDown(self):
        for pair in self.sockets:
            for end in pair:
                end.close()

    def test_it_carries_both_ways_and_stops(self):
        self.near.send(b"there")
        self.assertEqual(self.far.recv(100), b"there")
        self.far.send(b"and back")
        self.assertEqual(self.near.recv(100), b"and back")
        relay.stop(self.wire)
        self.assertEqual(self.wire[0].returncode, 0)

    def test_it_ends_with_the_process_that_asked_for_it(self):
        process, alive = self.wire
        os.close(alive)  # as the end of that process would
        self.assertEqual(process.wait(timeout=10), 0)


if __name__ == "__main__":
    unittest.main()
