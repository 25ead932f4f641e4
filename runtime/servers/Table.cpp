// Steps of a table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/Table.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <utility>

namespace tutti::runtime::servers {

Error Table::check_request(int64_t step, const int64_t *rows, int64_t count) const {
  if (step < 0)
    return Error::make(TUTTI_INVALID_ARGUMENT, "table '", table.name, "' has no step ", step);
  for (int64_t i = 0; i < count; ++i)
    if (rows[i] < 0 || rows[i] >= table.rows())
      return Error::make(TUTTI_BAD_DATA, "table '", table.name, "' has ", table.rows(),
                         " rows, but row ", rows[i], " is asked for");
  return Error::success();
}

/// Steps of all workers together: what the age of a row is counted in.
int64_t Table::clock() const {
  return table.is_asynchronous ? updates / int64_t(pushed.size()) : updates;
}

Error Table::pull(int64_t step, const int64_t *rows, int64_t count, char *out, double seconds,
                  bool states, Due due, int64_t worker) {
  if (Error error = check_request(step, rows, count))
    return error;
  std::unique_lock<std::mutex> lock(mutex);
  if (Error error = wait(lock, {worker, step, states ? Due::settled : due}, seconds))
    return error;
  if (table.is_asynchronous && !states && worker >= 0 && worker < int64_t(pushed.size()))
    staleness.pull(worker, step, updates - pushed[worker], steps_ahead(worker, step));
  ++counted.pulls;
  counted.pulled_rows += count;
  counted.pulled_bytes += count * bytes_of(states);
  return store.read(clock(), rows, count, states, out);
}

Error Table::check_worker(int64_t worker) const {
  if (worker >= 0 && worker < int64_t(pushed.size()))
    return Error::success();
  return Error::make(TUTTI_INVALID_ARGUMENT, "there is no worker ", worker, " of ", pushed.size());
}

Error Table::prefetch(int64_t worker, int64_t step, const int64_t *rows, int64_t count, char *out) {
  if (Error error = check_worker(worker))
    return error;
  if (Error error = check_request(step, rows, count))
    return error;
  std::unique_lock<std::mutex> lock(mutex);
  if (Error error = wait_until_filled(lock))
    return error;
  counted.pulled_rows += count;
  counted.pulled_bytes += count * store.row_bytes();
  Ahead &mine = ahead[worker];
  mine.step = step;
  mine.rows.assign(rows, rows + count);
  mine.is_changed.assign(count, false);
  return store.read(clock(), rows, count, /*states=*/false, out);
}

Error Table::check_ahead(int64_t worker, int64_t step) const {
  if (step >= 0 && ahead[worker].step == step)
    return Error::success();
  return Error::make(TUTTI_INVALID_ARGUMENT, "worker ", worker, " has asked for no rows of table '",
                     table.name, "' ahead of step ", uint64_t(step) + 1);
}

Error Table::pull_prefetched(int64_t worker, int64_t step, double seconds,
                             std::vector<int64_t> &positions, std::vector<char> &changed_rows) {
  if (Error error = check_worker(worker))
    return error;
  std::unique_lock<std::mutex> lock(mutex);
  Ahead &mine = ahead[worker];
  if (Error error = check_ahead(worker, step))
    return error;
  if (Error error = wait(lock, {worker, step, Due::in_turn}, seconds))
    return error;
  if (Error error = check_ahead(worker, step)) // others had the lock
    return error;
  if (table.is_asynchronous)
    staleness.pull(worker, step, updates - pushed[worker], steps_ahead(worker, step));
  std::vector<int64_t> rows;
  positions.clear();
  for (size_t i = 0; i < mine.rows.size(); ++i)
    if (mine.is_changed[i] || store.has_ended(mine.rows[i], clock())) {
      positions.push_back(int64_t(i));
      rows.push_back(mine.rows[i]);
    }
  mine.step = -1;
  changed_rows.resize(rows.size() * size_t(store.row_bytes()));
  ++counted.pulls;
  counted.pulled_rows += int64_t(rows.size());
  counted.pulled_bytes += int64_t(changed_rows.size());
  return store.read(clock(), rows.data(), int64_t(rows.size()), /*states=*/false,
                    changed_rows.data());
}

/// After an update, whose rows `distinct` has.
void Table::mark_changed() {
  for (Ahead &of_worker : ahead)
    for (size_t i = 0; of_worker.step >= 0 && i < of_worker.rows.size(); ++i)
      if (!of_worker.is_changed[i] && distinct.has(of_worker.rows[i]))
        of_worker.is_changed[i] = true;
}

/// The step that a push belongs to, if it is this worker's turn and the workers agree. What does
/// not fit must not become a part of an update that others wait for.
Result<Table::Step *> Table::step_of(int64_t worker, int64_t step, std::string_view given) {
  constexpr int64_t most_ahead = 256;
  if (step > pushed[worker])
    return Error::make(TUTTI_INVALID_ARGUMENT, "worker ", worker, " pushes to table '", table.name,
                       "' in step ", uint64_t(step) + 1, ", but has pushed in ", pushed[worker],
                       " steps before");
  if (int64_t(given.size()) != update.scalar_bytes())
    return Error::make(TUTTI_INVALID_ARGUMENT, "a push brings ", given.size(),
                       " bytes of scalars, the update of table '", table.name, "' takes ",
                       update.scalar_bytes());
  if (is_alone(step)) {
    Step &own = open.emplace_front();
    own.pushes.resize(pushed.size());
    return &own;
  }
  int64_t ahead = step - common_steps;
  if (ahead >= most_ahead)
    return Error::make(TUTTI_INVALID_ARGUMENT, "worker ", worker, " pushes to table '", table.name,
                       "' in step ", step + 1, ", but not all have pushed in step ",
                       common_steps + 1);
  if (size_t(ahead) == open.size())
    open.emplace_back().pushes.resize(pushed.size());
  Step &wanted = open[ahead];
  if (wanted.arrived > 0 && wanted.scalars != given)
    return Error::make(TUTTI_PLAN_MISMATCH, "workers ", wanted.first_worker, " and ", worker,
                       " push other rates or counters to table '", table.name, "' in step ",
                       step + 1);
  return &wanted;
}

Error Table::push(int64_t worker, int64_t step, const int64_t *rows, int64_t count,
                  const char *gradients, std::string_view given, double seconds) {
  if (Error error = check_worker(worker))
    return error;
  if (Error error = check_request(step, rows, count))
    return error;
  std::unique_lock<std::mutex> lock(mutex);
  if (Error error = wait_until_filled(lock))
    return error;
  if (step < pushed[worker])
    return Error::success(); // it came again
  if (Error error = wait_for_turn(lock, worker))
    return error;
  if (Error error = wait_for_room(lock, seconds))
    return error;
  bool is_after = !is_warm && step >= table.warm_up && step == pushed[worker];
  if (Error error = is_after ? wait(lock, {worker, step, Due::in_turn}, seconds) : Error())
    return error;
  Result<Step *> wanted = step_of(worker, step, given);
  if (!wanted)
    return wanted.error();
  Step &current = **wanted;
  if (current.arrived++ == 0) {
    current.scalars = given;
    current.first_worker = worker;
  }
  ++counted.pushes;
  counted.pushed_rows += count;
  counted.pushed_bytes += count * store.row_bytes();
  current.pushes[worker] =
      Push{{rows, rows + count}, {gradients, gradients + count * store.row_bytes()}};
  if (table.is_asynchronous)
    staleness.push(worker, step, updates - pushed[worker]);
  bool is_own = is_alone(step);
  ++pushed[worker];
  ++changes;
  Error error = is_own ? update_with_first(/*counts=*/1) : update_if_complete();
  changed.notify_all();
  return error;
}

/// Whether a push of step `step` is an update of its own: not together with those of others.
bool Table::is_alone(int64_t step) const {
  return table.is_asynchronous && (is_warm || step < common_steps);
}

bool Table::is_complete(const Step &step) const {
  for (size_t worker = 0; worker < pushed.size(); ++worker)
    if (!step.pushes[worker] && !(table.is_asynchronous && presence[worker] != Presence::here))
      return false;
  return step.arrived > 0;
}

Error Table::update_if_complete() {
  Error error;
  while (!error && !open.empty() && is_complete(open.front())) {
    ++common_steps;
    is_warm |= common_steps >= table.warm_up;
    error = update_with_first(table.is_asynchronous ? open.front().arrived : 1);
  }
  return error;
}

/// The first of the open steps updates the rows; `counts`: as so much of `updates`.
Error Table::update_with_first(int64_t counts) {
  Error error = apply(open.front());
  open.pop_front();
  updates += counts;
  ++counted.updates;
  if (error)
    failure = error;
  else
    tell_watcher();
  return error;
}

/// A worker that is away may have died after its push had come to other servers alone.
bool Table::has_reached_limits() const {
  for (size_t worker = 0; worker < limits.size(); ++worker)
    if (presence[worker] != Presence::gone && pushed[worker] < limits[worker])
      return false;
  return true;
}

void Table::give_up_limits() {
  is_held = false;
  if (limits.empty())
    return;
  std::string missing;
  for (size_t worker = 0; worker < limits.size(); ++worker)
    if (presence[worker] != Presence::gone && pushed[worker] < limits[worker])
      missing += text(missing.empty() ? "" : ", ", "worker ", worker, " has made ", pushed[worker],
                      " of ", limits[worker], " pushes");
  limits.clear();
  give_up_save(Error::make(TUTTI_STALLED, "table '", table.name,
                           "' does not come to stand where it is to be saved: ", missing));
}

void Table::give_up_save(const Error &why) {
  store.hold(false);
  if (Watcher *told = std::exchange(watcher, nullptr))
    told->is_given_up(why);
}

/// Whoever resumes from what is saved begins after them.
void Table::warn_of_lost_pushes() {
  for (size_t worker = 0; worker < limits.size() && !has_warned; ++worker) {
    if (pushed[worker] >= limits[worker])
      continue;
    has_warned = true;
    std::fprintf(stderr,
                 "dist-run: warning: table '%s' is saved without the pushes of worker %d in steps "
                 "%lld to %lld: it did not come back\n",
                 table.name.c_str(), int(worker), static_cast<long long>(pushed[worker]),
                 static_cast<long long>(limits[worker] - 1));
  }
}

void Table::tell_watcher() {
  if (!watcher || is_held || !has_reached_limits())
    return;
  warn_of_lost_pushes();
  limits.clear();
  watcher->stands_after(clock(), store);
  changed.notify_all();
}

template <typename T> Error Table::apply_as(const Step &step) {
  size_t most = 0;
  for (const std::optional<Push> &push : step.pushes)
    most += push ? push->rows.size() : 0;
  distinct.start(int64_t(most));
  size_t elements = size_t(table.row_elements());
  std::vector<int64_t> rows;
  std::vector<T> sums;
  sums.reserve(most * elements);
  for (const std::optional<Push> &push : step.pushes) { // by worker, then in the order of the list
    for (size_t i = 0; push && i < push->rows.size(); ++i) {
      bool is_new;
      size_t begin = size_t(distinct.number(push->rows[i], is_new)) * elements;
      if (is_new) {
        rows.push_back(push->rows[i]);
        sums.resize(begin + elements);
      }
      auto *gradient = reinterpret_cast<const T *>(push->gradients.data()) + i * elements;
      for (size_t k = 0; k < elements; ++k)
        sums[begin + k] += gradient[k];
    }
  }
  if (table.is_mean)
    for (T &sum : sums)
      sum /= T(step.arrived);
  if (watcher)
    watcher->before_change(store, rows);
  mark_changed();
  return update.apply(store, clock(), rows, reinterpret_cast<const char *>(sums.data()),
                      step.scalars);
}

Error Table::apply(const Step &step) {
  return table.type == TUTTI_F32 ? apply_as<float>(step) : apply_as<double>(step);
}

void Table::leave(int64_t worker, Presence now) {
  std::lock_guard<std::mutex> lock(mutex);
  if (worker < 0 || worker >= int64_t(presence.size()))
    return;
  presence[worker] = std::max(presence[worker], now);
  ahead[worker] = {};
  ++changes;
  if (!is_warm)
    (void)update_if_complete(); // what fails is kept
  if (!limits.empty())
    tell_watcher();
  changed.notify_all();
}

void Table::come_back(int64_t worker) {
  std::lock_guard<std::mutex> lock(mutex);
  if (worker < 0 || worker >= int64_t(presence.size()))
    return;
  presence[worker] = Presence::here;
  ahead[worker] = {}; // that of the process before
}

Result<int64_t> Table::steps_of(int64_t worker) {
  if (Error error = check_worker(worker))
    return error;
  std::unique_lock<std::mutex> lock(mutex);
  if (Error error = wait_until_filled(lock))
    return error;
  return pushed[worker];
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
  is_held = true;
  deadline = Clock::now() + duration_of(seconds);
  return pushed;
}

Error Table::watch(Watcher *now, const std::vector<int64_t> &workers) {
  std::lock_guard<std::mutex> lock(mutex);
  if (now && table.is_asynchronous) {
    is_held = false;
    changed.notify_all();
    for (size_t worker = 0; worker < pushed.size(); ++worker)
      if (workers.size() != pushed.size() || pushed[worker] > workers[worker])
        return Error::make(TUTTI_INVALID_ARGUMENT, "table '", table.name,
                           "' is to be saved before a push of worker ", worker,
                           " that it has taken already");
    limits = workers;
  } else if (!now && !limits.empty()) {
    limits.clear();
    changed.notify_all();
  }
  watcher = now;
  store.hold(watcher != nullptr);
  tell_watcher();
  return Error::success();
}

Error Table::with_rows(const std::function<Error(RowStore &)> &use) {
  std::lock_guard<std::mutex> lock(mutex);
  changed.notify_all(); // who waits for room
  return use(store);
}

Error Table::restore(int64_t steps, const std::function<Error(RowStore &)> &fill,
                     const std::vector<int64_t> &workers) {
  std::lock_guard<std::mutex> lock(mutex);
  if (Error error = store.clear())
    return error;
  if (Error error = fill(store))
    return error;
  open.clear();
  ahead.assign(pushed.size(), {});
  std::fill(ahead.begin(), ahead.end(), Ahead());
  std::fill(pushed.begin(), pushed.end(), steps);
  if (table.is_asynchronous && workers.size() == pushed.size())
    pushed = workers;
  updates =
      table.is_asynchronous ? std::accumulate(pushed.begin(), pushed.end(), int64_t(0)) : steps;
  common_steps = *std::min_element(pushed.begin(), pushed.end());
  is_warm = common_steps >= table.warm_up;
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
  std::unique_lock<std::mutex> lock(mutex);
  return wait(lock, {/*worker=*/-1, step, Due::settled}, seconds);
}

TableStatistics Table::statistics() const {
  std::lock_guard<std::mutex> lock(mutex);
  TableStatistics all = counted;
  all.staleness = staleness.counted();
  StoreStatistics kept = store.statistics();
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
  return *std::min_element(pushed.begin(), pushed.end());
}

} // namespace tutti::runtime::servers
