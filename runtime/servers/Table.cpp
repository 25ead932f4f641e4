// Steps of a table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/Table.h"

#include <algorithm>
#include <utility>

namespace tutti::runtime::servers {

Error Table::check_request(int64_t step, const int64_t *wanted, int64_t count) const {
  if (step < 0)
    return Error::make(TUTTI_INVALID_ARGUMENT, "table '", table.name, "' has no step ", step);
  for (int64_t i = 0; i < count; ++i)
    if (wanted[i] < 0 || wanted[i] >= table.rows())
      return Error::make(TUTTI_BAD_DATA, "table '", table.name, "' has ", table.rows(),
                         " rows, but row ", wanted[i], " is asked for");
  return Error::success();
}

/// Counts what is read.
Error Table::read(const int64_t *wanted, int64_t count, bool states, char *out) {
  counted.pulled_rows += count;
  counted.pulled_bytes += count * (states ? table.held_bytes() : table.row_bytes());
  return rows.store().read(policy->age(), wanted, count, states, out);
}

Error Table::pull(int64_t step, const int64_t *wanted, int64_t count, char *out, double seconds,
                  bool states, Due due, int64_t worker) {
  if (Error error = check_request(step, wanted, count))
    return error;
  Lock lock(mutex);
  if (Error error = wait(lock, {worker, step, states ? Due::settled : due}, seconds))
    return error;
  if (!states)
    policy->note_pull(worker, step);
  ++counted.pulls;
  return read(wanted, count, states, out);
}

Error Table::prefetch(int64_t worker, int64_t step, const int64_t *wanted, int64_t count,
                      char *out) {
  if (Error error = policy->workers.check(worker))
    return error;
  if (Error error = check_request(step, wanted, count))
    return error;
  Lock lock(mutex);
  if (Error error = wait_until_filled(lock))
    return error;
  ahead.add(worker, step, wanted, count);
  return read(wanted, count, /*states=*/false, out);
}

Error Table::pull_prefetched(int64_t worker, int64_t step, double seconds,
                             std::vector<int64_t> &positions, std::vector<char> &changed_rows) {
  if (Error error = policy->workers.check(worker))
    return error;
  Lock lock(mutex);
  if (Error error = ahead.check(table.name, worker, step))
    return error;
  if (Error error = wait(lock, {worker, step, Due::in_turn}, seconds))
    return error;
  if (Error error = ahead.check(table.name, worker, step)) // others had the lock
    return error;
  policy->note_pull(worker, step);
  auto has_ended = [&](int64_t row) { return rows.store().has_ended(row, policy->age()); };
  std::vector<int64_t> changed = ahead.take(worker, has_ended, positions);
  changed_rows.resize(changed.size() * size_t(table.row_bytes()));
  ++counted.pulls;
  return read(changed.data(), int64_t(changed.size()), /*states=*/false, changed_rows.data());
}

Error Table::push(int64_t worker, int64_t step, const int64_t *pushed, int64_t count,
                  const char *gradients, std::string_view scalars, double seconds) {
  if (Error error = policy->workers.check(worker))
    return error;
  if (Error error = check_request(step, pushed, count))
    return error;
  Lock lock(mutex);
  if (Error error = wait_until_filled(lock))
    return error;
  if (step < policy->workers.pushed[worker])
    return Error::success(); // it came again
  if (Error error = wait_for_turn(lock, worker))
    return error;
  if (Error error = wait_for_room(lock, seconds))
    return error;
  bool is_early = policy->is_early(worker, step);
  if (Error error = is_early ? wait(lock, {worker, step, Due::in_turn}, seconds) : Error())
    return error;
  int64_t bytes = count * table.row_bytes();
  Gradients taken = {{pushed, pushed + count}, {gradients, gradients + bytes}};
  if (Error error = policy->add(worker, step, std::move(taken), scalars))
    return error;
  ++counted.pushes;
  counted.pushed_rows += count;
  counted.pushed_bytes += bytes;
  ++changes;
  Error error = update_rows();
  changed.notify_all();
  return error;
}

/// By all that is an update now.
Error Table::update_rows() {
  while (const StepGradients *step = failure ? nullptr : policy->next()) {
    auto tell = [&](const std::vector<int64_t> &changing, const DistinctRows &same_rows) {
      if (watcher)
        watcher->before_change(rows.store(), changing);
      ahead.mark_changed(same_rows);
    };
    Error error = rows.apply(*step, policy->age(), tell);
    policy->finish();
    ++counted.updates;
    if (error)
      failure = error;
    else
      tell_watcher();
  }
  return failure ? *failure : Error::success();
}

void Table::give_up_limits() {
  std::string missing = policy->limits.missing();
  bool had_any = policy->limits.has_any();
  policy->limits.clear();
  if (had_any)
    give_up_save(Error::make(TUTTI_STALLED, "table '", table.name,
                             "' does not come to stand where it is to be saved: ", missing));
}

void Table::give_up_save(const Error &why) {
  rows.store().hold(false);
  if (Watcher *told = std::exchange(watcher, nullptr))
    told->is_given_up(why);
}

void Table::tell_watcher() {
  if (!watcher || !policy->limits.are_reached())
    return;
  policy->limits.warn_of_lost_pushes();
  policy->limits.clear();
  watcher->stands_after(policy->age(), rows.store());
  changed.notify_all();
}

void Table::leave(int64_t worker, Presence now) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!policy->workers.has(worker))
    return;
  Presence &presence = policy->workers.presence[worker];
  presence = std::max(presence, now);
  ahead.forget(worker);
  ++changes;
  (void)update_rows(); // what fails is kept
  if (policy->limits.has_any())
    tell_watcher();
  changed.notify_all();
}

void Table::come_back(int64_t worker) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!policy->workers.has(worker))
    return;
  policy->workers.presence[worker] = Presence::here;
  ahead.forget(worker); // that of the process before
}

Result<int64_t> Table::steps_of(int64_t worker) {
  if (Error error = policy->workers.check(worker))
    return error;
  Lock lock(mutex);
  if (Error error = wait_until_filled(lock))
    return error;
  return policy->workers.pushed[worker];
}

static std::chrono::steady_clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(seconds));
}

void Table::wait_for_rows(double seconds) {
  std::lock_guard<std::mutex> lock(mutex);
  is_filled = false;
  deadline = Clock::now() + duration_of(seconds);
}

std::vector<int64_t> Table::hold(double seconds) {
  std::lock_guard<std::mutex> lock(mutex);
  give_up_limits();
  policy->limits.hold();
  deadline = Clock::now() + duration_of(seconds);
  return policy->workers.pushed;
}

Error Table::watch(Watcher *now, const std::vector<int64_t> &workers) {
  std::lock_guard<std::mutex> lock(mutex);
  if (now) {
    Error refusal = policy->begin_save(workers);
    changed.notify_all();
    if (refusal)
      return refusal;
  } else if (policy->limits.has_any()) {
    policy->limits.clear();
    changed.notify_all();
  }
  watcher = now;
  rows.store().hold(watcher != nullptr);
  tell_watcher();
  return Error::success();
}

Error Table::with_rows(const std::function<Error(RowStore &)> &use) {
  std::lock_guard<std::mutex> lock(mutex);
  changed.notify_all(); // who waits for room
  return use(rows.store());
}

Error Table::restore(int64_t steps, const std::function<Error(RowStore &)> &fill,
                     const std::vector<int64_t> &workers) {
  std::lock_guard<std::mutex> lock(mutex);
  if (Error error = rows.store().clear())
    return error;
  if (Error error = fill(rows.store()))
    return error;
  policy->restore(steps, workers);
  ahead.forget_all();
  is_filled = true;
  changed.notify_all();
  return Error::success();
}

void Table::abandon(const Error &why) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!failure)
    failure = why;
  changed.notify_all();
}

Error Table::settle(int64_t step, double seconds) {
  if (Error error = check_request(step, nullptr, 0))
    return error;
  Lock lock(mutex);
  return wait(lock, {/*worker=*/-1, step, Due::settled}, seconds);
}

TableStatistics Table::statistics() const {
  std::lock_guard<std::mutex> lock(mutex);
  TableStatistics all = counted;
  all.staleness = policy->staleness();
  StoreStatistics kept = rows.store().statistics();
  all.rows_used = kept.used;
  all.rows_admitted = kept.admitted;
  all.rows_evicted = kept.evicted;
  all.resident_bytes = kept.resident_bytes;
  all.stored_bytes = kept.stored_bytes;
  all.cache_hits = kept.hits;
  all.cache_misses = kept.misses;
  return all;
}

int64_t Table::steps() const {
  std::lock_guard<std::mutex> lock(mutex);
  return policy->workers.of_all();
}

} // namespace tutti::runtime::servers
