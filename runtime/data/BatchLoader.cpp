// From a step to rows, and from rows to input buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/BatchLoader.h"

#include "runtime/data/Epoch.h"

#include <cstring>

namespace tutti::runtime::data {

RowGatherer::RowGatherer(std::vector<Array> given)
    : arrays(std::move(given)), row_count(arrays.empty() ? 0 : arrays[0].rows()) {
  for (const Array &array : arrays) {
    Result<int64_t> bytes = array_bytes(array.type, array.shape);
    row_bytes.push_back(bytes && row_count > 0 ? *bytes / row_count : 0);
  }
}

void RowGatherer::gather(const std::vector<int64_t> &rows, void *const *buffers) const {
  for (size_t a = 0; a < arrays.size(); ++a) {
    char *to = static_cast<char *>(buffers[a]);
    for (int64_t row : rows) {
      if (row_bytes[a] > 0)
        std::memcpy(to, arrays[a].data + row * row_bytes[a], row_bytes[a]);
      to += row_bytes[a];
    }
  }
}

Result<BatchLoader> BatchLoader::make(const Dataset &dataset, const std::vector<InputSpec> &inputs,
                                      const BatchPlan &plan) {
  Result<std::vector<Array>> arrays = dataset.bind(inputs);
  if (!arrays)
    return arrays.error();
  RowGatherer gatherer(std::move(*arrays));
  if (plan.window < 1 || plan.steps_per_epoch(gatherer.rows()) < 1)
    return Error::make(TUTTI_BAD_DATA, "dataset '", dataset.source(), "' has ", gatherer.rows(),
                       " samples, too few for one global batch of ", plan.window,
                       "; use a smaller global batch or more data");
  return BatchLoader(std::move(gatherer), plan);
}

BatchLoader::BatchLoader(RowGatherer gatherer, const BatchPlan &plan)
    : gatherer(std::move(gatherer)), plan(plan), rows(plan.shard.local_samples()) {}

const std::vector<int64_t> &BatchLoader::rows_of(int64_t step) {
  if (epoch_of(step) != epoch) {
    epoch = epoch_of(step);
    order = epoch_order(gatherer.rows(), plan.seed, epoch, plan.is_shuffled);
  }
  int64_t first = step % steps_per_epoch() * plan.window;
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i] = order[first + plan.shard.global_sample(i) % plan.window];
  return rows;
}

} // namespace tutti::runtime::data
