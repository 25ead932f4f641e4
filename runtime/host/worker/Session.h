// The life of one rank: load, agree, allocate, initialise, train, save, evaluate, report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_WORKER_SESSION_H
#define TUTTI_RUNTIME_HOST_WORKER_SESSION_H

#include "runtime/engine/backends/shm/segment/Segment.h"
#include "runtime/host/data/BatchLoader.h"
#include "runtime/host/data/PassedArrays.h"
#include "runtime/host/program/Buffers.h"
#include "runtime/host/program/Program.h"
#include "runtime/host/program/StateFile.h"
#include "runtime/host/reporting/RunLog.h"
#include "runtime/host/reporting/RunTrace.h"
#include "runtime/host/reporting/StepTimes.h"
#include "runtime/host/run/RunRecord.h"
#include "runtime/host/run/Summary.h"
#include "runtime/host/rundir/RunDirectory.h"
#include "runtime/host/worker/Checkpoints.h"
#include "runtime/host/worker/NextBatch.h"
#include "runtime/host/worker/NonFiniteWatch.h"
#include "runtime/host/worker/RankContext.h"
#include "runtime/host/worker/ReplicaWatch.h"
#include "runtime/host/worker/StopAgreement.h"
#include "runtime/host/worker/StopDeadline.h"
#include "runtime/host/worker/evaluation/BestEvaluation.h"
#include "runtime/servers/rpc/PartKeeper.h"
#include "runtime/servers/rpc/RemoteRows.h"
#include "runtime/support/system/HeldSignals.h"

#include <memory>
#include <optional>

namespace tutti::runtime::worker {

/// Runs one rank from beginning to end in this process. Peers are told of a failure. One of
/// stop_signals lets all ranks finish the same step and save. With a run directory it goes on where
/// the newest checkpoint ends.
class Session {
public:
  explicit Session(WorkerConfig config);
  ~Session();

  Error run();
  const RankSummary &summary() const { return result; }
  /// Whether our launcher knows of an error that `run` returned.
  bool has_told_launcher() const { return segment.has_value(); }

private:
  Error prepare();
  Error join_servers();
  Error attach();
  Error open_data();
  void answer_others_of_node();
  std::string agreement() const;
  Error open_outputs();
  Error open_states();
  Error release_states();
  Error start();
  Error load();
  Error load_tables(bool goes_on);
  Error begin_parts(int64_t step, const std::string &launch);
  Error go_on_by_servers();
  Error resume();
  Error first_of_ranks(const Error &error);
  Error train();
  Error run_steps(StepTimes &times);
  Result<bool> is_stopped(int64_t step);
  std::string describe_late() const;
  Error one_step(int64_t step);
  Error after_step(int64_t steps_done, double seconds);
  Error check_numbers(int64_t steps_done);
  Error take_checkpoint(int64_t steps_done);
  TableReader table_reader() const;
  Error save();
  Error export_model();
  Error evaluate_now();
  bool is_best(int64_t steps_done);
  Error go_back_to_best();
  void deal_samples();
  Error evaluate_saved();
  bool is_evaluation_due(int64_t steps_done) const;
  std::string keep_flight(const Error &error) const;
  Error stopped_by_others() const;
  Error context_error() const;
  void tell_later(const Error &error);
  void report();
  void hand_over_report();
  Error print_summary();
  Error print_own_summary();
  bool is_alone() const { return manifest().is_asynchronous(); }
  int64_t steps() const;
  const Manifest &manifest() const { return program.manifest; }

  WorkerConfig config;
  std::optional<shm::Segment> segment;
  Program program;
  std::optional<data::ArrayDoor> arrays_of_node; ///< until the ranks have met
  std::optional<data::RowGatherer> evaluation_data;
  std::optional<data::BatchLoader> loader;
  RunTrace trace;                             ///< outlives the context, whose threads record
  std::unique_ptr<servers::RemoteRows> rows;  ///< of tables that servers hold; null without any
  std::unique_ptr<servers::PartKeeper> parts; ///< of servers in checkpoints; of rank 0
  std::unique_ptr<StateFile> states;          ///< of optimizers, in a file; null: in memory
  RankContext context;
  Buffers buffers;
  std::optional<NextBatch> next_batch;           ///< if there are data
  std::optional<rundir::RunDirectory> directory; ///< if there is one
  std::optional<RunLog> log;
  std::optional<SignalThread> takes_signals; ///< so that no kernel needs to hold them back
  std::optional<StopAgreement> stop;
  std::optional<StopDeadline> deadline; ///< without a launcher of ours; it asks `stop`
  std::optional<NonFiniteWatch> watch;  ///< while steps run
  std::optional<ReplicaWatch> replicas;
  std::optional<BestEvaluation> best; ///< if it was asked for
  RankSummary result = {};
  int64_t evaluated_step = -1; ///< the steps that were done at the last evaluation
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_WORKER_SESSION_H
