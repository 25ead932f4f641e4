// Who waits for whom at a table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/Table.h"

#include <algorithm>
#include <limits>

namespace tutti::runtime::servers {

bool Table::is_awaited(int64_t worker, Due due) const {
  return presence[worker] == Presence::here ||
         (presence[worker] == Presence::away && due == Due::settled);
}

int64_t Table::steps_of_slowest(Due due) const {
  int64_t fewest = std::numeric_limits<int64_t>::max();
  for (size_t worker = 0; worker < pushed.size(); ++worker)
    if (is_awaited(int64_t(worker), due))
      fewest = std::min(fewest, pushed[worker]);
  return fewest;
}

/// What all workers must have pushed before a step. In step, the rows have seen as many steps as
/// the slowest has pushed.
int64_t Table::steps_needed(int64_t step, Due due) const {
  if (!table.is_asynchronous || due == Due::settled)
    return step;
  if (!is_warm)
    return std::min(step, table.warm_up);
  return table.staleness < 0 ? 0 : step - table.staleness;
}

bool Table::is_due(int64_t step, Due due) const {
  return steps_of_slowest(due) >= steps_needed(step, due);
}

/// "the push of worker 2 in step 4, the pushes of worker 3 in steps 2 to 4"
std::string Table::missing(int64_t step, Due due) const {
  constexpr int64_t most_told = 8;
  int64_t last = steps_needed(step, due) - 1, late = 0;
  std::string all;
  for (size_t worker = 0; worker < pushed.size(); ++worker) {
    if (!is_awaited(int64_t(worker), due) || pushed[worker] > last || ++late > most_told)
      continue;
    bool is_one = pushed[worker] == last;
    all += text(all.empty() ? "" : ", ", "the push", is_one ? "" : "es", " of worker ", worker,
                " in step", is_one ? "" : text("s ", pushed[worker], " to"), " ", last);
  }
  return late > most_told ? text(all, " and those of ", late - most_told, " more") : all;
}

/// Of the slowest of the others.
int64_t Table::steps_ahead(int64_t worker, int64_t step) const {
  int64_t ahead = 0;
  for (size_t other = 0; other < pushed.size(); ++other)
    if (int64_t(other) != worker && is_awaited(int64_t(other), Due::in_turn))
      ahead = std::max(ahead, step - pushed[other]);
  return ahead;
}

Error Table::wait(std::unique_lock<std::mutex> &lock, const Waiting &who, double seconds) {
  if (Error error = wait_until_filled(lock))
    return error;
  if (!failure && is_due(who.step, who.due))
    return Error::success();
  waiting.push_back(&who);
  Error error = wait_in_list(lock, who, seconds);
  waiting.erase(std::find(waiting.begin(), waiting.end(), &who));
  return error;
}

Error Table::wait_until_filled(std::unique_lock<std::mutex> &lock) {
  while (!failure && !is_filled)
    if (changed.wait_until(lock, deadline) == std::cv_status::timeout && !is_filled)
      return Error::make(TUTTI_STALLED, "table '", table.name,
                         "' has no rows yet: worker 0 did not say what it begins with");
  return failure ? *failure : Error::success();
}

/// Who held the table may be gone.
Error Table::wait_for_turn(std::unique_lock<std::mutex> &lock, int64_t worker) {
  if (Error error = wait_until_filled(lock))
    return error;
  auto is_its_turn = [&] {
    return failure || (!is_held && (limits.empty() || pushed[worker] < limits[worker]));
  };
  if (!changed.wait_until(lock, deadline, is_its_turn))
    give_up_limits();
  return failure ? *failure : Error::success();
}

/// Room is made in other tables, too, and nobody here is told then. The push is answered before its
/// worker gives up.
Error Table::wait_for_room(std::unique_lock<std::mutex> &lock, double seconds) {
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
Error Table::wait_in_list(std::unique_lock<std::mutex> &lock, const Waiting &who, double seconds) {
  while (!failure && !is_due(who.step, who.due)) {
    int64_t before = changes;
    auto is_new = [&] { return failure || changes != before; };
    if (!changed.wait_for(lock, std::chrono::duration<double>(seconds), is_new))
      return Error::make(TUTTI_STALLED, "table '", table.name, "' was not updated for ", seconds,
                         " seconds: its rows in step ", who.step, " wait for ",
                         missing(who.step, who.due));
  }
  return failure ? *failure : Error::success();
}

std::vector<std::string> Table::waits() const {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<std::string> all;
  for (const Waiting *who : waiting)
    all.push_back(text(who->worker < 0 ? "the end of training" : text("worker ", who->worker),
                       " waits in step ", who->step, " for rows of table '", table.name,
                       "', and they for ", missing(who->step, who->due)));
  return all;
}

} // namespace tutti::runtime::servers
