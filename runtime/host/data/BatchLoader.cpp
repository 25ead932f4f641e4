// From a step to rows, and from rows to input buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/BatchLoader.h"

#include "runtime/host/data/Values.h"
#include "runtime/support/Crc32c.h"
#include "runtime/support/Names.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <numeric>

namespace tutti::runtime::data {

RowGatherer::RowGatherer(std::vector<BoundArray> arrays)
    : row_count(arrays.empty() ? 0 : arrays[0].array.rows()) {
  for (BoundArray &bound : arrays) {
    int32_t stored = bound.array.type;
    Cast cast = stored == bound.input.type ? nullptr : cast_of(stored, bound.input.type);
    int64_t block_elements = sample_elements(bound.array) / bound.blocks;
    sources.push_back({std::move(bound), block_elements, cast});
  }
}

/// Rows that stand for all of an array: at equal distances, the first and the last among them; of a
/// source that makes samples as they are asked for, few.
static std::vector<int64_t> rows_to_sample(const Array &array, int64_t row_bytes) {
  constexpr int64_t most_bytes = 4 << 20, fewest = 64, few = 8;
  int64_t rows = array.rows();
  int64_t count = std::min(rows, std::max(fewest, most_bytes / row_bytes));
  if (array.source && !array.source->is_stored())
    count = std::min(rows, few);
  std::vector<int64_t> list(size_t(count), 0);
  bool is_beginning = count == rows || (array.source && array.source->is_sequential());
  for (int64_t i = 0; i < count; ++i)
    list[size_t(i)] = is_beginning ? i : int64_t(double(i) / double(count - 1) * double(rows - 1));
  return list;
}

/// Over the shape and over some rows.
static Result<uint32_t> sample(const Array &array) {
  Crc32c sum;
  sum.add(array.shape.data(), array.shape.size() * sizeof(int64_t));
  sum.add(array.words);
  int64_t row_bytes = sample_elements(array) * type_bytes(array.type);
  if (row_bytes == 0)
    return sum.value();
  std::vector<int64_t> rows = rows_to_sample(array, row_bytes);
  if (!array.source) {
    for (int64_t row : rows)
      sum.add(array.data + row * row_bytes, size_t(row_bytes));
    return sum.value();
  }
  std::vector<const char *> columns;
  if (Error error = array.source->read(/*epoch=*/0, rows, columns))
    return error;
  sum.add(columns[array.column], rows.size() * size_t(row_bytes));
  return sum.value();
}

std::string RowGatherer::fingerprint() const {
  if (!sampled.empty())
    return sampled;
  for (const Source &source : sources) {
    const Array &array = source.bound.array;
    Result<uint32_t> sum = sample(array);
    char digits[16];
    std::snprintf(digits, sizeof digits, " %08x", sum ? *sum : 0);
    sampled += (sampled.empty() ? "" : ", ") + describe(array.type, array.shape) +
               (sum ? digits : " unreadable");
  }
  return sampled;
}

bool RowGatherer::is_sequential() const {
  return std::any_of(sources.begin(), sources.end(), [](const Source &source) {
    const auto &made = source.bound.array.source;
    return made && made->is_sequential();
  });
}

void RowGatherer::copy(const Source &source, const char *from, const std::vector<int64_t> &places,
                       void *buffer) {
  const auto &[bound, block_elements, cast] = source;
  int64_t stored_bytes = block_elements * type_bytes(bound.array.type);
  int64_t block_bytes = block_elements * type_bytes(bound.input.type);
  int64_t count = int64_t(places.size());
  if (block_bytes == 0)
    return;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t block = 0; block < bound.blocks; ++block) {
      const char *at = from + (places[i] * bound.blocks + block) * stored_bytes;
      char *to = static_cast<char *>(buffer) + (block * count + i) * block_bytes;
      if (cast)
        cast(at, to, block_elements);
      else
        std::memcpy(to, at, block_bytes);
    }
}

/// Looks at the values of the samples `rows`, which `part` holds; an error tells their numbers.
static Error check_made(const Array &part, const std::vector<int64_t> &rows,
                        const InputSpec &input) {
  Error error = check_read(part, input);
  int64_t row_bytes = sample_elements(part) * type_bytes(part.type);
  for (size_t i = 0; error && i < rows.size(); ++i) {
    Array one = part;
    one.shape[0] = 1;
    one.data = part.data + int64_t(i) * row_bytes;
    one.first = rows[i];
    if (Error own = check_read(one, input))
      return own;
  }
  return error;
}

Error RowGatherer::gather(int64_t epoch, const std::vector<int64_t> &rows,
                          void *const *buffers) const {
  std::map<const SampleSource *, std::vector<const char *>> read;
  std::vector<int64_t> in_order; // stays empty where all lie in memory: steps ask for none
  for (size_t a = 0; a < sources.size(); ++a) {
    const Array &array = sources[a].bound.array;
    if (!array.source) {
      copy(sources[a], array.data, rows, buffers[a]);
      continue;
    }
    in_order.resize(rows.size());
    std::iota(in_order.begin(), in_order.end(), int64_t(0));
    auto [columns, is_first] = read.try_emplace(array.source.get());
    if (is_first)
      if (Error error = array.source->read(epoch, rows, columns->second))
        return error;
    Array part = samples_read(array, int64_t(rows.size()), columns->second);
    if (!array.source->is_stored())
      if (Error error = check_made(part, rows, sources[a].bound.input))
        return Error::make(error.status, "in epoch ", epoch, " (which counts from 0), ",
                           error.message);
    copy(sources[a], part.data, in_order, buffers[a]);
  }
  return Error::success();
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
    : gatherer(std::move(gatherer)), plan(plan), rows(plan.shard.local_samples()) {
  this->plan.shuffling.is_shuffled &= !this->gatherer.is_sequential();
}

const std::vector<int64_t> &BatchLoader::rows_of(int64_t step) {
  if (epoch_of(step) != epoch) {
    epoch = epoch_of(step);
    order.emplace(gatherer.rows(), plan.seed, epoch, plan.shuffling);
  }
  int64_t first = step % steps_per_epoch() * plan.window;
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i] = order->at(first + plan.shard.global_sample(i) % plan.window);
  return rows;
}

} // namespace tutti::runtime::data
