// Batches: which rows of a dataset a rank sees in a step, and copying them into the program's
// inputs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_BATCHLOADER_H
#define TUTTI_RUNTIME_HOST_DATA_BATCHLOADER_H

#include "runtime/engine/core/Sharding.h"
#include "runtime/host/data/Cast.h"
#include "runtime/host/data/Dataset.h"
#include "runtime/host/data/Epoch.h"

namespace tutti::runtime::data {

/// How an epoch is cut into batches. A step takes the next `window` samples of the epoch's order;
/// if it needs more (policy pad), it repeats the first of its own. What is left at the end of an
/// epoch is dropped.
struct BatchPlan {
  Shard shard;        ///< its `samples` are those of one step over all ranks
  int64_t window = 1; ///< rows of the epoch that one step consumes
  uint64_t seed = 0;
  Shuffling shuffling = {};

  int64_t steps_per_epoch(int64_t rows) const { return rows / window; }
  int64_t dropped_per_epoch(int64_t rows) const { return rows % window; }
  int64_t repeated_per_step() const { return shard.samples - window; }
};

/// Copies rows of arrays, in the types that the program wants.
class RowGatherer {
public:
  explicit RowGatherer(std::vector<BoundArray> arrays);
  int64_t rows() const { return row_count; }
  /// Type, shape and a sum over rows of each array, in their order: of all rows of a few MiB, of
  /// rows at equal distances of more.
  std::string fingerprint() const;
  /// Row rows[i] of array a, in epoch `epoch`, is sample i of buffers[a]. Rows must exist. Fails
  /// where a source does, or gives values that an input cannot have.
  Error gather(int64_t epoch, const std::vector<int64_t> &rows, void *const *buffers) const;
  /// Whether samples can only be had in their own order.
  bool is_sequential() const;

private:
  /// One array: where its rows are, and what becomes of them.
  struct Source {
    BoundArray bound;
    int64_t block_elements; ///< of each block of a row
    Cast cast;              ///< null: it is copied as it is
  };
  /// Sample i of an array at `from` is that of row places[i].
  static void copy(const Source &source, const char *from, const std::vector<int64_t> &places,
                   void *buffer);

  std::vector<Source> sources;
  int64_t row_count;
  mutable std::string sampled; ///< the fingerprint, once somebody has asked for it
};

/// The batches of one rank. All ranks run the same number of steps.
class BatchLoader {
public:
  /// Fails if the dataset is smaller than one batch.
  static Result<BatchLoader> make(const Dataset &dataset, const std::vector<InputSpec> &inputs,
                                  const BatchPlan &plan);

  int64_t samples() const { return gatherer.rows(); }
  /// Of the arrays, see RowGatherer.
  std::string fingerprint() const { return gatherer.fingerprint(); }
  int64_t steps_per_epoch() const { return plan.steps_per_epoch(gatherer.rows()); }
  int64_t dropped_per_epoch() const { return plan.dropped_per_epoch(gatherer.rows()); }
  int64_t repeated_per_step() const { return plan.repeated_per_step(); }
  /// The epoch, from 0, that step `step` (from 0) belongs to.
  int64_t epoch_of(int64_t step) const { return step / steps_per_epoch(); }
  /// Rows of the dataset that this rank uses in `step`.
  const std::vector<int64_t> &rows_of(int64_t step);
  /// Fills the inputs for `step`.
  Error load(int64_t step, void *const *buffers) {
    return gatherer.gather(epoch_of(step), rows_of(step), buffers);
  }

private:
  BatchLoader(RowGatherer gatherer, const BatchPlan &plan);

  RowGatherer gatherer;
  BatchPlan plan;
  int64_t epoch = -1;
  std::optional<EpochOrder> order; ///< of `epoch`
  std::vector<int64_t> rows;
};

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_BATCHLOADER_H
