// The manifest of a compiled program (tutti/program.h), parsed and checked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_PROGRAM_MANIFEST_H
#define TUTTI_RUNTIME_HOST_PROGRAM_MANIFEST_H

#include "runtime/engine/core/Sharding.h"
#include "runtime/host/data/Dataset.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace tutti::runtime::worker {

using Tensor = data::InputSpec; ///< a name, a type, a shape

using manifest::Hyperparameter;
using manifest::Placement;
using manifest::Value;
using manifest::Variable;

struct PlanEntry : manifest::PlanEntry {
  std::string line;        ///< the entry, canonical, for comparison between ranks
  std::string description; ///< "all_reduce mean of fc.weight and 3 more", for messages
  std::string exchange;    ///< of a pull or a push: what servers must know of it; else empty
};

/// A group of ranks other than the world.
struct DeclaredGroup : manifest::Group {
  std::string line; ///< the whole entry, canonical
};

/// A table that servers hold. `shape` counts its rows first, unless it is one whole row.
struct ServedTable : manifest::Table {
  using State = manifest::RowState;
  using Distribution = manifest::InitialRows::Distribution;

  int64_t rows() const { return is_whole ? 1 : shape[0]; }
  std::vector<int64_t> row_shape() const {
    return {shape.begin() + (is_whole ? 0 : 1), shape.end()};
  }
  int64_t row_elements() const;
  int64_t row_bytes() const;
  /// What is kept of a row is the row and after it each state. The bytes of part `part`: 0 is the
  /// row, 1 + i state i; and of all.
  int64_t part_bytes(size_t part) const;
  int64_t held_bytes() const;
  /// The name of such a part of all rows, and its shape.
  const std::string &part_name(size_t part) const;
  std::vector<int64_t> part_shape(size_t part) const;
  size_t parts() const { return states.size() + 1; }
};

struct Manifest {
  std::string program, fingerprint, batch_policy;
  int64_t ranks = 1, global_batch = 1, local_batch = 1, samples_per_step = 1;
  int32_t shard_mode = TUTTI_SHARD_NONE;
  int64_t neighbours = 1;  ///< ranks that have the same samples, and parts of one model
  int64_t arena_bytes = 0; ///< the largest that any function but the evaluation wants
  int64_t repeated = 0;    ///< operations of the step that run again, so that it is no larger
  int64_t window = 0;      ///< bytes of variables with a use that are in memory at once
  std::vector<Variable> variables;
  std::vector<Tensor> inputs, metrics, outputs; ///< of the step
  std::vector<Hyperparameter> hyperparameters;
  /// How the values of a metric of the evaluation become one number: their mean, their sum, or an
  /// area.
  struct Mean {
    using Batches = manifest::Metric::Batches;

    int64_t weight = -1;         ///< the metric that says how much each value counts; -1: all alike
    bool is_weight = false;      ///< of others; then it is not reported
    bool is_exponential = false; ///< e to the power of the mean is reported
    bool is_sum = false;         ///< the sum of the values is reported, not their mean
    Batches batches = Batches::none; ///< none: values for each sample
    int64_t label = -1;    ///< the metric with the labels of these scores; -1: these are no scores
    bool is_label = false; ///< of others; then it is not reported

    bool is_reported() const { return !is_weight && !is_label; }
    bool is_area() const { return label >= 0; }
    bool is_of_batch() const { return batches != Batches::none; }
    bool is_of_whole_batch() const { return batches == Batches::whole; }
    bool is_extreme() const { return batches == Batches::maximum || batches == Batches::minimum; }
  };
  struct Evaluation {
    std::vector<int64_t> variables; ///< indices into the program's
    int64_t batch = 1;
    std::vector<Tensor> inputs, metrics;
    std::vector<Mean> means; ///< one a metric
    int64_t arena_bytes = 0;

    /// Whether a metric follows from numbers of batches.
    bool has_numbers_of_batches() const { return has(&Mean::is_of_batch); }
    bool has_extremes() const { return has(&Mean::is_extreme); }
    /// Whether samples that fill no batch cannot be evaluated.
    bool takes_whole_batches() const { return has(&Mean::is_of_whole_batch); }

  private:
    bool has(bool (Mean::*is)() const) const {
      return std::any_of(means.begin(), means.end(),
                         [&](const Mean &mean) { return (mean.*is)(); });
    }
  };
  std::optional<Evaluation> evaluation; ///< a run without one need not have room for it
  std::vector<DeclaredGroup> groups;
  std::vector<Value> values;
  std::vector<ServedTable> tables;
  std::vector<PlanEntry> plan;

  /// Parses `json`; an error says which field is missing or wrong.
  static Result<Manifest> parse(std::string_view json);
  /// Reads the manifest out of the shared object at `path` without loading it. Errors name the
  /// file.
  static Result<Manifest> read(const std::string &path);

  /// Whether ranks have no common steps, and meet nowhere but at the servers.
  bool is_asynchronous() const { return !tables.empty() && tables.front().is_asynchronous; }

  /// The arena of all functions.
  int64_t largest_arena() const {
    return std::max(arena_bytes, evaluation ? evaluation->arena_bytes : 0);
  }
  Shard shard(int64_t rank) const {
    return {shard_mode, rank / neighbours, ranks / neighbours, samples_per_step};
  }
  /// All groups and all entries of the plan, one a line.
  std::string plan_text() const;
  /// What workers and servers exchange, and in which order: all tables, then all pulls and
  /// pushes, one a line. Empty without tables.
  std::string exchange_text() const;
  /// Bytes of the variables with a use, which may lie in a file; the largest number if they are
  /// more than that.
  int64_t state_bytes() const;
  /// Bytes of memory that one rank asks for; the largest number if they are more than that.
  int64_t memory_bytes() const;
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_PROGRAM_MANIFEST_H
