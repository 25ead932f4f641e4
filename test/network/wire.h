// One direction of a wire in user space: packets that are read from one file leave at a rate and
// arrive at the other after a delay, as with `tc netem rate delay`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_NETWORK_WIRE_H
#define TUTTI_TEST_NETWORK_WIRE_H

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tutti::test {

using Time =
    std::chrono::nanoseconds; ///< since any moment, as long as it is the same for all calls

/// From `source` to `target`, which do not block and keep packets whole: tun devices, datagram
/// sockets. Not thread-safe; owns neither file.
class Wire {
public:
  /// `rate` in bit a second; 0: unlimited.
  Wire(int source, int target, double rate, Time delay)
      : source(source), target(target), rate(rate), delay(delay) {}

  /// What may be on its way before packets are lost.
  static constexpr size_t queue_bytes = size_t(64) << 20;

  /// Takes all packets that wait at the source. Each leaves when those before it have left and its
  /// own bytes have had their time at the rate.
  void take(Time now) {
    char packet[1 << 16];
    for (ssize_t size; (size = read(source, packet, sizeof packet)) > 0;) {
      if (waiting > queue_bytes)
        continue;
      double seconds = rate > 0 ? double(size) * 8 / rate : 0;
      free_at = std::max(free_at, now) + Time(int64_t(seconds * 1e9));
      underway.push_back({free_at + delay, {packet, packet + size}});
      waiting += size_t(size);
    }
  }

  /// Hands over all packets whose time has come; one that the target does not take is lost.
  void deliver(Time now) {
    for (; !underway.empty() && underway.front().first <= now; underway.pop_front()) {
      const std::vector<char> &packet = underway.front().second;
      waiting -= packet.size();
      [[maybe_unused]] ssize_t written = write(target, packet.data(), packet.size());
    }
  }

  std::optional<Time> next_arrival() const {
    return underway.empty() ? std::nullopt : std::optional(underway.front().first);
  }

  size_t packets_underway() const { return underway.size(); }

private:
  int source, target;
  double rate;
  Time delay;
  Time free_at = Time(0);                                  ///< when the last packet will have left
  size_t waiting = 0;                                      ///< bytes underway
  std::deque<std::pair<Time, std::vector<char>>> underway; ///< by time of arrival
};

} // namespace tutti::test

#endif // TUTTI_TEST_NETWORK_WIRE_H
