// What a rank reports at its end. Plain data: it travels through shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUN_SUMMARY_H
#define TUTTI_RUNTIME_HOST_RUN_SUMMARY_H

#include <cstdint>

namespace tutti::runtime::worker {

constexpr int64_t most_evaluation_metrics = 64;

/// What a server did, or all of them together.
struct ServerSummary {
  int64_t rows_used, rows_admitted, rows_evicted;
  int64_t resident_bytes, stored_bytes; ///< of rows
  int64_t cache_hits, cache_misses;
  int64_t pulled_rows, pulled_bytes, pushed_rows, pushed_bytes;
  int64_t updates; ///< of all tables
  /// Of asynchronous tables, see StalenessStatistics.
  int64_t stale_pushes, staleness_sum, staleness_max, ahead_max;
};

constexpr int64_t most_told_servers = 8;

struct RankSummary {
  int64_t is_complete;    ///< 1 when the rank finished its run, or ended it with all others
  int64_t is_saved;       ///< 1 when the variables are on disk
  int64_t is_exported;    ///< 1 when they are in the model file, too
  int64_t interrupted_by; ///< the signal that ended training early; 0: none
  int64_t steps;          ///< done, with those before this launch
  int64_t steps_before;   ///< done by earlier launches of the run directory
  int64_t steps_wanted;
  int64_t steps_per_epoch;
  int64_t samples_per_step;  ///< over all ranks: the effective batch
  int64_t dropped_per_epoch; ///< samples left over at the end of each epoch
  int64_t repeated_per_step; ///< samples that fill up a batch (policy pad)
  int64_t bytes_moved;       ///< payload of collectives on this rank
  int64_t staged_bytes;      ///< of it, copied into or out of memory of the transport
  int64_t collectives;
  int64_t planned_bytes;  ///< variables, buffers and arena
  int64_t peak_bytes;     ///< largest resident memory of the process
  int64_t first_bad_step; ///< first step, from 1, with a loss that is not finite; 0: none
  double run_seconds;     ///< the steps, from the first to the last
  double compute_seconds;
  double communication_seconds;                 ///< waiting for peers included
  double data_seconds;                          ///< filling input buffers, or waiting for that
  double data_seconds_beside;                   ///< filling them beside the steps
  double first_step_seconds;                    ///< which prepares kernels
  double median_step_seconds, p95_step_seconds; ///< of the other steps; 0: there are none
  double first_loss, last_loss;                 ///< 0 if the step has no such metric
  int64_t evaluated_samples;
  int64_t evaluation_metrics;                 ///< how many of the values below there are
  double evaluation[most_evaluation_metrics]; ///< in the manifest's order, averaged over samples
  int64_t best_step;   ///< of the variables that were saved with --best; 0: it was not asked for
  int64_t best_metric; ///< what was compared: a metric of the manifest's evaluation
  double best_value;
  int64_t is_early; ///< 1 when training ended since evaluations were no longer better
  int64_t servers;  ///< of tables; 0: there are none, or nobody asked them
  ServerSummary all_servers;
  ServerSummary of_servers[most_told_servers]; ///< each, if they are not more
  char untold[768]; ///< which output could not be written, metrics or trace; empty: none
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_RUN_SUMMARY_H
