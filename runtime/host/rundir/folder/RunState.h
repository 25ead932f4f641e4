// What a checkpoint of a run says beside its variables: where the run was, and of what run it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUNDIR_FOLDER_RUNSTATE_H
#define TUTTI_RUNTIME_HOST_RUNDIR_FOLDER_RUNSTATE_H

#include "runtime/host/program/Manifest.h"
#include "runtime/host/run/RunRecord.h"

#include <map>

namespace tutti::runtime::rundir {

using Metadata = std::map<std::string, std::string>;

/// What the ranks that saved a variable held of it.
struct SavedPlacement {
  std::string kind; ///< as in worker::Variable
  worker::Placement placement = worker::Placement::replicate;
  std::vector<int64_t> whole; ///< of a sharded one
  /// Of one in blocks; as worker::Variable has them.
  int64_t blocks = 0, dimension = 0, outer = 1, parts = 1;
};

/// How the samples of a run follow each other. Equal ones at equal steps are at the same sample,
/// whatever the number of ranks.
struct DataOrder {
  uint64_t seed = 0;
  bool is_shuffled = true;
  int64_t samples = 0; ///< of the dataset; 0: the step has no inputs
  int64_t batch = 1;   ///< samples of a step that are not repetitions
};

/// The best evaluation of a run so far.
struct BestStep {
  std::string metric; ///< as BestEvaluation spells what is compared; empty: nobody asked
  int64_t step = -1;  ///< steps that were done then; -1: none yet
  double value = 0;
  int64_t later_evaluations = 0; ///< since then, or since the beginning
};

/// The state of a run after a step. All that a run needs to go on is here and in its variables:
/// data, shuffling, dropout and schedules follow from the step and the seed.
struct RunState {
  std::string program, fingerprint;
  std::string plan;   ///< checksum of what the program communicates
  std::string launch; ///< a number that the ranks of one launch share, and no other launch has
  int64_t step = 0;   ///< steps that are done
  int64_t epoch = 0, batch_of_epoch = 0; ///< where in the data: both from 0, of the next batch
  DataOrder data;
  int64_t global_batch = 1;
  std::string batch_policy;
  int32_t shard_mode = 0;
  int64_t ranks = 1, rank = 0; ///< of who wrote this file
  int64_t files = 1;           ///< of the checkpoint: `ranks`, or 1 if rank 0 holds everything
  int64_t servers = 0;         ///< that hold tables, and have a file each in the checkpoint
  std::map<std::string, double> hyperparameters;
  worker::RunRecord record; ///< what decides the numbers
  /// Nobody wrote the record down: it is what the other fields say, and no more.
  bool is_record_partial = false;
  std::map<std::string, SavedPlacement> variables;

  BestStep best;

  /// Of the beginning of a run.
  static RunState of(const worker::RunConfig &config, const worker::Manifest &manifest,
                     int64_t rank, const DataOrder &data, worker::RunRecord record = {});
  Metadata metadata() const;
  static Result<RunState> parse(const Metadata &metadata);

  /// Sets the step, and where it is in the data of `steps_per_epoch` steps.
  void move_to(int64_t steps_done, int64_t steps_per_epoch);
};

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_HOST_RUNDIR_FOLDER_RUNSTATE_H
