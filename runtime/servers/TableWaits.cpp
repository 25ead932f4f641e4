// Who waits for whom at a table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/Table.h"

#include <algorithm>

namespace tutti::runtime::servers {

Error Table::wait(Lock &lock, const Waiting &who, double seconds) {
  if (Error error = wait_until_filled(lock))
    return error;
  if (!failure && policy->is_due(who.step, who.due))
    return Error::success();
  waiting.push_back(&who);
  Error error = wait_in_list(lock, who, seconds);
  waiting.erase(std::find(waiting.begin(), waiting.end(), &who));
  return error;
}

Error Table::wait_until_filled(Lock &lock) {
  while (!failure && !is_filled)
    if (changed.wait_until(lock, deadline) == std::cv_status::timeout && !is_filled)
      return Error::make(TUTTI_STALLED, "table '", table.name,
                         "' has no rows yet: worker 0 did not say what it begins with");
  return failure ? *failure : Error::success();
}

/// Who held the table may be gone.
Error Table::wait_for_turn(Lock &lock, int64_t worker) {
  if (Error error = wait_until_filled(lock))
    return error;
  auto is_its_turn = [&] { return failure || policy->limits.allow(worker); };
  if (!changed.wait_until(lock, deadline, is_its_turn))
    give_up_limits();
  return failure ? *failure : Error::success();
}

/// Room is made in other tables, too, and nobody here is told then. The push is answered before its
/// worker gives up.
Error Table::wait_for_room(Lock &lock, double seconds) {
  constexpr std::chrono::milliseconds between_looks(20);
  int64_t progress = -1;
  Clock::time_point since = Clock::now();
  while (!failure && watcher && !watcher->has_room()) {
    if (int64_t now = watcher->progress(); now != progress)
      progress = now, since = Clock::now();
    if (std::chrono::duration<double>(Clock::now() - since).count() < seconds / 2)
      changed.wait_for(lock, between_looks);
    else
      give_up_save(Error::make(TUTTI_STALLED, "rows of table '", table.name,
                               "' change faster than its checkpoint is written, of which nothing "
                               "was for ",
                               seconds / 2, " seconds"));
  }
  return failure ? *failure : Error::success();
}

/// A worker that is slow holds nobody up as long as others push.
Error Table::wait_in_list(Lock &lock, const Waiting &who, double seconds) {
  while (!failure && !policy->is_due(who.step, who.due)) {
    int64_t before = changes;
    auto is_new = [&] { return failure || changes != before; };
    if (!changed.wait_for(lock, std::chrono::duration<double>(seconds), is_new))
      return Error::make(TUTTI_STALLED, "table '", table.name, "' was not updated for ", seconds,
                         " seconds: its rows in step ", who.step, " wait for ",
                         policy->missing(who.step, who.due));
  }
  return failure ? *failure : Error::success();
}

std::vector<std::string> Table::waits() const {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<std::string> all;
  for (const Waiting *who : waiting)
    all.push_back(text(who->worker < 0 ? "the end of training" : text("worker ", who->worker),
                       " waits in step ", who->step, " for rows of table '", table.name,
                       "', and they for ", policy->missing(who->step, who->due)));
  return all;
}

} // namespace tutti::runtime::servers
