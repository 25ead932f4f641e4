// Adding up gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/TableRows.h"

namespace tutti::runtime::servers {

template <typename T>
Error TableRows::apply_as(const StepGradients &step, int64_t age, const Tell &tell) {
  size_t most = 0;
  for (const std::optional<Gradients> &push : step.pushes)
    most += push ? push->rows.size() : 0;
  distinct.start(int64_t(most));
  size_t elements = size_t(table.row_elements());
  std::vector<int64_t> rows;
  std::vector<T> sums;
  sums.reserve(most * elements);
  for (const std::optional<Gradients> &push : step.pushes) {
    for (size_t i = 0; push && i < push->rows.size(); ++i) {
      bool is_new;
      size_t begin = size_t(distinct.number(push->rows[i], is_new)) * elements;
      if (is_new) {
        rows.push_back(push->rows[i]);
        sums.resize(begin + elements);
      }
      auto *gradient = reinterpret_cast<const T *>(push->values.data()) + i * elements;
      for (size_t k = 0; k < elements; ++k)
        sums[begin + k] += gradient[k];
    }
  }
  if (table.is_mean)
    for (T &sum : sums)
      sum /= T(step.arrived / table.neighbours);
  tell(rows, distinct);
  return update.apply(kept, age, rows, reinterpret_cast<const char *>(sums.data()), step.scalars);
}

Error TableRows::apply(const StepGradients &step, int64_t age, const Tell &tell) {
  return table.type == TUTTI_F32 ? apply_as<float>(step, age, tell)
                                 : apply_as<double>(step, age, tell);
}

} // namespace tutti::runtime::servers
