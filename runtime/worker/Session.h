// The life of one rank: load, agree, allocate, initialise, train, evaluate, save, report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_WORKER_SESSION_H
#define TUTTI_RUNTIME_WORKER_SESSION_H

#include "runtime/backends/shm/Segment.h"
#include "runtime/data/BatchLoader.h"
#include "runtime/worker/Buffers.h"
#include "runtime/worker/Program.h"
#include "runtime/worker/RankContext.h"
#include "runtime/worker/RunConfig.h"
#include "runtime/worker/RunTrace.h"
#include "runtime/worker/Summary.h"

#include <memory>
#include <optional>

namespace tutti::runtime::worker {

/// Runs one rank from beginning to end in this process. Peers are told of a failure.
class Session {
public:
  explicit Session(WorkerConfig config);
  ~Session();

  Error run();
  const RankSummary &summary() const { return result; }

private:
  Error prepare();
  Error attach();
  Error open_data();
  Error start();
  Error train();
  Error one_step(int64_t step);
  Error finish();
  Error stopped_by_others() const;
  Error context_error() const;
  void report();
  Error print_summary();
  int64_t steps() const;
  const Manifest &manifest() const { return program.manifest; }

  WorkerConfig config;
  std::optional<shm::Segment> segment;
  Program program;
  std::optional<data::Dataset> evaluation_data;
  std::optional<data::BatchLoader> loader;
  RunTrace trace; ///< outlives the context, whose threads record
  RankContext context;
  Buffers buffers;
  RankSummary result = {};
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_WORKER_SESSION_H
