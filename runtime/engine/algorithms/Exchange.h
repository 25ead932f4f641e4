// One step of an algorithm: what this rank sends and receives in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_ALGORITHMS_EXCHANGE_H
#define TUTTI_RUNTIME_ENGINE_ALGORITHMS_EXCHANGE_H

#include "runtime/engine/algorithms/Algorithms.h"

#include <cstring>
#include <vector>

namespace tutti::runtime::algorithms {

/// Collects transfers, then runs them together. What a rank would give itself is left out.
class Exchange {
public:
  explicit Exchange(const Place &place) : place(place), transfers(&place.scratch()) {}

  void send(int32_t peer, const void *memory, int64_t bytes) {
    if (bytes > 0 && peer != place.rank())
      transfers.push_back({peer, 1, const_cast<void *>(memory), bytes});
  }
  void receive(int32_t peer, void *memory, int64_t bytes) {
    if (bytes > 0 && peer != place.rank())
      transfers.push_back({peer, 0, memory, bytes});
  }

  /// Returns when all transfers are complete; then others may be collected.
  int32_t run() {
    int32_t status = TUTTI_OK;
    if (!transfers.empty())
      status = place.communicator.backend->exchange(place.communicator.handle, place.context,
                                                    place.plan_entry, transfers.data(),
                                                    int64_t(transfers.size()));
    transfers.clear();
    return status;
  }

private:
  const Place &place;
  std::pmr::vector<tutti_transfer> transfers;
};

/// Copies unless both are the same place.
inline void copy(void *to, const void *from, int64_t bytes) {
  if (to != from && bytes > 0)
    std::memcpy(to, from, size_t(bytes));
}

inline const char *source(const tutti_call &call, int64_t buffer) {
  return static_cast<const char *>(call.sources[buffer]);
}
inline char *destination(const tutti_call &call, int64_t buffer) {
  return static_cast<char *>(call.destinations[buffer]);
}

} // namespace tutti::runtime::algorithms

#endif // TUTTI_RUNTIME_ENGINE_ALGORITHMS_EXCHANGE_H
