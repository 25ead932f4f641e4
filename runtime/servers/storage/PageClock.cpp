// The hand of the clock.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/storage/PageClock.h"

#include <cstring>

namespace tutti::runtime::servers {

Result<PageClock> PageClock::make(int64_t pages, int64_t limit) {
  Result<LazyArray<uint8_t>> states = LazyArray<uint8_t>::make(pages);
  if (!states)
    return states.error();
  PageClock clock;
  clock.states = std::move(*states);
  clock.pages = pages;
  clock.limit = limit;
  return clock;
}

bool PageClock::want(int64_t page) {
  uint8_t &state = states[page];
  bool is_there = state != gone;
  if (!is_there) {
    absent.push_back(page);
    ++count;
  }
  if (limit > 0 && state != held)
    wanted.push_back(page);
  state = limit > 0 ? held : hot;
  return is_there;
}

void PageClock::make_room(std::vector<PageRange> &leaving) {
  if (limit <= 0 || count <= limit)
    return;
  // Some more than must: neighbours leave together.
  int64_t few = limit - limit / 16;
  bool is_open = false; // the last range may still grow
  for (int64_t left = 2 * pages; left > 0 && count > few; --left) {
    if (skips_empty(left)) // however sparse the mapping is
      continue;
    uint8_t &state = states[hand];
    if (state == cold) {
      state = gone;
      --count;
      if (is_open)
        leaving.back().end = hand + 1;
      else
        leaving.push_back({hand, hand + 1});
      is_open = true;
    } else if (state != gone) {
      is_open = false;
      if (state == hot)
        state = cold;
    }
    if (++hand == pages) {
      hand = 0;
      is_open = false;
    }
  }
}

/// Moves the hand on over eight pages that are gone.
bool PageClock::skips_empty(int64_t &left) {
  uint64_t eight;
  if (hand % int64_t(sizeof eight) != 0 || hand + int64_t(sizeof eight) >= pages)
    return false;
  std::memcpy(&eight, &states[hand], sizeof eight);
  if (eight != 0)
    return false;
  hand += sizeof eight;
  left -= sizeof eight - 1;
  return true;
}

void PageClock::release() {
  for (int64_t page : wanted)
    states[page] = hot;
  wanted.clear();
  absent.clear();
}

} // namespace tutti::runtime::servers
