// Steps of a table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/Table.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace tutti::runtime::servers {

Error Table::check_rows(const int64_t *rows, int64_t count) const {
  for (int64_t i = 0; i < count; ++i)
    if (rows[i] < 0 || rows[i] >= table.rows())
      return Error::make(TUTTI_BAD_DATA, "table '", table.name, "' has ", table.rows(),
                         " rows, but row ", rows[i], " is asked for");
  return Error::success();
}

Error Table::pull(int64_t step, const int64_t *rows, int64_t count, char *out, double seconds,
                  bool states) {
  if (Error error = check_rows(rows, count))
    return error;
  std::unique_lock<std::mutex> lock(mutex);
  auto is_due = [&] { return failure || applied >= step; };
  if (!changed.wait_for(lock, std::chrono::duration<double>(seconds), is_due))
    return Error::make(TUTTI_STALLED, "table '", table.name, "' was not updated in step ",
                       applied + 1, " for ", seconds, " seconds: ", open[applied].arrived, " of ",
                       workers, " workers have pushed");
  if (failure)
    return *failure;
  for (int64_t i = 0; i < count; ++i, out += bytes_of(states))
    std::memcpy(out, store.row(rows[i]), bytes_of(states));
  return Error::success();
}

Error Table::push(int64_t worker, int64_t step, const int64_t *rows, int64_t count,
                  const char *gradients, std::string_view scalars) {
  if (worker < 0 || worker >= workers)
    return Error::make(TUTTI_INVALID_ARGUMENT, "there is no worker ", worker, " of ", workers);
  if (Error error = check_rows(rows, count))
    return error;
  std::lock_guard<std::mutex> lock(mutex);
  if (failure)
    return *failure;
  if (step < applied)
    return Error::success(); // it came again
  Step &current = open[step];
  current.pushes.resize(workers);
  if (current.pushes[worker])
    return Error::success();
  if (current.arrived == 0) {
    current.scalars = scalars;
    current.first_worker = worker;
  } else if (current.scalars != scalars) {
    return Error::make(TUTTI_PLAN_MISMATCH, "workers ", current.first_worker, " and ", worker,
                       " push other rates or counters to table '", table.name, "' in step ",
                       step + 1);
  }
  current.pushes[worker] =
      Push{{rows, rows + count}, {gradients, gradients + count * store.row_bytes()}};
  if (++current.arrived < workers || step != applied)
    return Error::success();
  Error error = apply(current);
  open.erase(step);
  ++applied;
  if (error)
    failure = error;
  changed.notify_all();
  return error;
}

namespace {
/// A gradient of a row: whose, and where in the list.
struct Term {
  int64_t row;
  const char *gradient;
};
} // namespace

template <typename T> Error Table::apply_as(const Step &step) {
  std::vector<Term> terms; // by worker, then in the order of the list
  for (const std::optional<Push> &push : step.pushes)
    for (size_t i = 0; i < push->rows.size(); ++i)
      terms.push_back({push->rows[i], push->gradients.data() + i * store.row_bytes()});
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term &a, const Term &b) { return a.row < b.row; });
  int64_t elements = table.row_elements();
  std::vector<int64_t> rows;
  std::vector<T> sums;
  for (size_t next = 0; next < terms.size();) {
    int64_t row = terms[next].row;
    rows.push_back(row);
    size_t begin = sums.size();
    sums.resize(begin + elements);
    for (; next < terms.size() && terms[next].row == row; ++next) {
      auto *gradient = reinterpret_cast<const T *>(terms[next].gradient);
      for (int64_t i = 0; i < elements; ++i)
        sums[begin + i] += gradient[i];
    }
    if (table.is_mean)
      for (int64_t i = 0; i < elements; ++i)
        sums[begin + i] /= T(workers);
  }
  return update.apply(store, rows, reinterpret_cast<const char *>(sums.data()), step.scalars);
}

Error Table::apply(const Step &step) {
  return table.type == TUTTI_F32 ? apply_as<float>(step) : apply_as<double>(step);
}

void Table::abandon(const Error &why) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!failure)
    failure = why;
  changed.notify_all();
}

int64_t Table::steps() const {
  std::lock_guard<std::mutex> lock(mutex);
  return applied;
}

} // namespace tutti::runtime::servers
