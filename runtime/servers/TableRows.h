// The rows of a table as gradients change them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_TABLEROWS_H
#define TUTTI_RUNTIME_SERVERS_TABLEROWS_H

#include "runtime/servers/RowDivision.h"
#include "runtime/servers/RowUpdate.h"
#include "runtime/servers/steps/StepPolicy.h"

#include <functional>

namespace tutti::runtime::servers {

/// Gradients of a row are added up in the order of the workers, starting from 0; each worker's in
/// the order of its list. So the result depends neither on who comes first nor on how many servers
/// share the table. One thread at a time.
class TableRows {
public:
  TableRows(const worker::ServedTable &table, RowStore store, RowUpdate update)
      : kept(std::move(store)), table(table), update(std::move(update)) {}

  /// Updates the rows by `step`, as those of age `age`. Before that `tell` hears which will change,
  /// each once.
  using Tell = std::function<void(const std::vector<int64_t> &rows, const DistinctRows &same_rows)>;
  Error apply(const StepGradients &step, int64_t age, const Tell &tell);

  RowStore &store() { return kept; }
  const RowStore &store() const { return kept; }

private:
  template <typename T> Error apply_as(const StepGradients &step, int64_t age, const Tell &tell);

  RowStore kept;
  worker::ServedTable table;
  RowUpdate update;
  DistinctRows distinct; ///< of an update
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_TABLEROWS_H
