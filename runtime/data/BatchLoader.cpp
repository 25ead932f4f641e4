// From a step to rows, and from rows to input buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/BatchLoader.h"

#include "runtime/data/Epoch.h"
#include "runtime/support/Crc32c.h"
#include "runtime/support/Names.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tutti::runtime::data {

RowGatherer::RowGatherer(std::vector<BoundArray> arrays)
    : row_count(arrays.empty() ? 0 : arrays[0].array.rows()) {
  for (BoundArray &bound : arrays) {
    int32_t stored = bound.array.type;
    Result<int64_t> bytes = array_bytes(stored, bound.array.shape);
    int64_t row_elements = bytes && row_count > 0 ? *bytes / row_count / type_bytes(stored) : 0;
    Cast cast = stored == bound.type ? nullptr : cast_of(stored, bound.type);
    int64_t block_elements = row_elements / bound.blocks;
    sources.push_back({std::move(bound), block_elements, cast});
  }
}

/// Over the shape and over rows at equal distances, the first and the last among them.
static uint32_t sample(const Array &array) {
  constexpr int64_t most_bytes = 4 << 20, fewest_rows = 64;
  Crc32c sum;
  sum.add(array.shape.data(), array.shape.size() * sizeof(int64_t));
  int64_t rows = array.rows();
  Result<int64_t> bytes = array_bytes(array.type, array.shape);
  int64_t row_bytes = bytes && rows > 0 ? *bytes / rows : 0;
  if (row_bytes == 0)
    return sum.value();
  int64_t count = std::min(rows, std::max(fewest_rows, most_bytes / row_bytes));
  for (int64_t i = 0; i < count; ++i) {
    int64_t row = count == rows ? i : int64_t(double(i) / double(count - 1) * double(rows - 1));
    sum.add(array.data + row * row_bytes, size_t(row_bytes));
  }
  return sum.value();
}

std::string RowGatherer::fingerprint() const {
  std::string all;
  for (const Source &source : sources) {
    const Array &array = source.bound.array;
    char digits[16];
    std::snprintf(digits, sizeof digits, " %08x", sample(array));
    all += (all.empty() ? "" : ", ") + describe(array.type, array.shape) + digits;
  }
  return all;
}

void RowGatherer::gather(const std::vector<int64_t> &rows, void *const *buffers) const {
  int64_t count = rows.size();
  for (size_t a = 0; a < sources.size(); ++a) {
    const auto &[bound, block_elements, cast] = sources[a];
    int64_t stored_bytes = block_elements * type_bytes(bound.array.type);
    int64_t block_bytes = block_elements * type_bytes(bound.type);
    if (block_bytes == 0)
      continue;
    for (int64_t i = 0; i < count; ++i)
      for (int64_t block = 0; block < bound.blocks; ++block) {
        const char *from = bound.array.data + (rows[i] * bound.blocks + block) * stored_bytes;
        char *to = static_cast<char *>(buffers[a]) + (block * count + i) * block_bytes;
        if (cast)
          cast(from, to, block_elements);
        else
          std::memcpy(to, from, block_bytes);
      }
  }
}

Result<BatchLoader> BatchLoader::make(const Dataset &dataset, const std::vector<InputSpec> &inputs,
                                      const BatchPlan &plan) {
  Result<std::vector<BoundArray>> arrays = dataset.bind(inputs);
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
