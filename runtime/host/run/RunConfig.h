// What a run is: from the command line to the launcher, and from the launcher to each rank.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUN_RUNCONFIG_H
#define TUTTI_RUNTIME_HOST_RUN_RUNCONFIG_H

#include "runtime/host/checkpoint/Frame.h"
#include "runtime/host/data/InflatedArrays.h"
#include "runtime/host/data/ReadOptions.h"
#include "runtime/host/program/Values.h"
#include "runtime/support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace tutti::runtime::worker {

/// What servers need of a table beside the manifest.
struct TableFiles {
  std::string update; ///< the program that updates its rows
  ValuePlace first;   ///< the rows as they begin, where they are given; else without a path
};

/// Something that was done before ranks began, for the trace. Nanoseconds of CLOCK_MONOTONIC; an
/// end of 0: until the rank began.
struct StartSpan {
  std::string name;
  int64_t begin = 0, end = 0;
};

/// A run. All fields but `worker`, `programs` and `steps` or `epochs`
/// have sensible defaults.
struct RunConfig {
  std::string worker; ///< path of the program dist-worker
  std::vector<std::string>
      programs; ///< one compiled program; for the policy weighted two: ceil, floor
  std::vector<ValuePlaces> values;  ///< of each program what is not in it; may be absent
  std::vector<TableFiles> tables;   ///< of each of the manifest's tables; none: it has none
  std::vector<std::string> servers; ///< where servers hold them; the launcher starts one for each
  int64_t ranks = 1;
  std::vector<std::string> datasets;            ///< may be empty if the step has no inputs
  std::vector<std::string> evaluation_datasets; ///< evaluated on at the end, if any
  std::vector<data::InflatedArray> inflated;    ///< of the datasets, as ranks inherit them
  data::ReadOptions read;                       ///< how both are read
  int64_t evaluate_every = 0;                   ///< and after every so many steps; 0: no
  std::string best;       ///< METRIC[:min|:max] of evaluations, whose best step is saved; empty: no
  int64_t early_stop = 0; ///< evaluations in a row without a better one that end it; 0: never
  std::map<std::string, std::string> bindings; ///< array of an input, where their names differ
  int64_t steps = 0;                           ///< 0: as many as `epochs` have
  int64_t epochs = 0;                          ///< used if `steps` is 0
  uint64_t seed = 0;
  bool shuffle = true;
  int64_t shuffle_block = 0; ///< neighbouring samples that stay together; 0: all are shuffled
  /// What else decides the numbers, by key: program, recipe, distribution; see RunRecord.
  std::map<std::string, std::string> decides;
  std::vector<std::string> resume_anyway; ///< keys in which a run may differ from its checkpoint
  std::map<std::string, double> hyperparameters; ///< instead of the program's values, by name
  std::string metrics;                           ///< JSON lines, one a step; empty: none
  std::string curve; ///< metrics over steps, for a report (CurveWriter); empty: none
  std::string save;  ///< safetensors at the end; empty: none
  std::vector<checkpoint::Frame> exports; ///< the files of a model, itself the last; or none
  std::string calibrate; ///< measure, write this cluster file, and do not train; empty: train
  std::string offload;   ///< folder of a disk for states of optimizers; empty: they are in memory
  std::string load;      ///< safetensors instead of the initial values; empty: none
  std::string model_dir; ///< the run directory (runtime/host/rundir); empty: none
  int64_t save_checkpoints_steps = 0; ///< a checkpoint there after every so many steps; 0: no
  int64_t save_checkpoints_secs = 0;  ///< and after every so many seconds; 0: no
  int64_t keep_checkpoint_max = 5;    ///< the newest that stay; 0: all
  int64_t save_summary_steps = 0;     ///< scalars there after every so many steps; 0: none
  int64_t log_step_count_steps = 0;   ///< a log of progress has so many steps a line; 0: by time
  int64_t max_restarts = 0;           ///< how often all ranks start again there when one has died
  std::string trace;                  ///< trace events of all ranks; empty: none
  int64_t trace_first = 1;            ///< the first step in it, from 1
  int64_t trace_count = 0;            ///< how many steps; 0: to the end
  std::vector<StartSpan> start;       ///< what this machine has done for the run so far, for it
  int64_t threads = 0;                ///< of each rank; 0: processors / ranks
  /// What becomes of a run whose loss or variables are infinite or no numbers: stop, warn or ignore
  std::string on_non_finite = "stop";
  std::string instructions;             ///< of compiled code: equal texts for equal ones
  std::vector<std::string> environment; ///< settings NAME=VALUE of ranks; the launcher's alone
  bool loads_ahead = true;              ///< large batches are loaded beside the step before theirs
  bool binds_ranks = true;              ///< to cores of their own; the launcher's alone
  int64_t check_replicas = 0;    ///< variables of ranks are compared after so many steps; 0: never
  double grace_period = 10;      ///< seconds in which a run ends that a signal asks to stop
  double stall_warning = 10;     ///< seconds
  double stall_error = 300;      ///< seconds
  std::string progress = "auto"; ///< auto: by whether there is a terminal; line, log or none
  std::string backend = "auto";  ///< what connects ranks: auto, shm, mpi, openmpi, mpich or gloo
  bool one_backend = false;      ///< every group uses `backend`, also inside a node
  /// ordered: in rank order; by-node: in each node, then across them; native: as the backend likes
  std::string reductions = "ordered";
  std::string node;           ///< ranks of equal names are on one node; empty: by machine
  int64_t ranks_per_node = 0; ///< so many neighbouring ranks act as a node; 0: by `node`
  std::string rendezvous; ///< gloo: a folder that all ranks see, or HOST:PORT of rank 0; empty: one
                          ///< of this machine
  std::string launcher_store;   ///< gloo: pmi or pmix, by which ranks meet without a rendezvous
  std::string run_name = "run"; ///< gloo: no other run in the folder has this name
  std::string interface;        ///< gloo: of the network; empty: by the machine's name
  std::string server_storage = "memory"; ///< of rows: memory, file:FOLDER or rocksdb:FOLDER
  int64_t server_cache_bytes = 0; ///< of rows that each server has in memory; 0: see StorageChoice
  /// A row is kept from its push of this number on; 0: as the run began, or from the first on.
  int64_t server_admit_after = 0;
  /// Steps without a push after which it is not; 0: it always is; -1: as the run began, or always.
  int64_t server_evict_after = -1;
  std::string server_token;       ///< file of the secret that servers and workers share; or none
  std::string server_certificate; ///< file of it, PEM; with it servers speak TLS
  std::string server_key;         ///< file of the certificate's key
  std::string server_authority;   ///< file of the certificates that workers trust
};

/// What one rank is told.
struct WorkerConfig {
  RunConfig run;
  int64_t rank = 0;
  int shared_descriptor = -1; ///< of the segment; -1: a single rank, or one of another launcher
  int trace_descriptor = -1;  ///< of the file for this rank's part of the trace; -1: no launcher
  int arrays_descriptor = -1; ///< of the socket at which others of the node ask for `run.inflated`
  int64_t server = -1;        ///< this process is that server, and no rank; -1: it is a rank
  /// Of the row queues through which servers of this machine are reached: of a rank one a server,
  /// of a server its own; none: over gRPC.
  std::vector<int> row_queues = {};
  bool ends_with_workers = false; ///< of a server: no launcher ends it
  /// Of a process of a cluster: its role and index as TF_CONFIG names them, "ps 0"; else empty.
  std::string role = {};
  /// Why the process, of a cluster, will not come: it only tells that to the others, and ends with
  /// the status. Empty: it comes.
  std::string absence = {};
  uint8_t absence_status = 1;
  /// Of such a server, by rank: role and index of the workers, and their addresses.
  std::vector<std::string> rank_names = {}, rank_addresses = {};
};

/// The model file that the run writes; empty: none.
inline std::string exported_model(const RunConfig &config) {
  return config.exports.empty() ? "" : config.exports.back().target;
}

/// What a process of a rank inherits of its run, beside what is its own.
std::vector<int> inherited_descriptors(const RunConfig &config);

/// As JSON and back. An error names the field that is wrong: unknown, of another type, or with a
/// number that the field cannot hold.
std::string to_json(const WorkerConfig &config);
Result<WorkerConfig> worker_config_from_json(std::string_view json);

/// What is wrong with a run, if anything.
Error check(const RunConfig &config);
/// As check(), before there is a compiled program.
Error check_options(const RunConfig &config);

/// Whether `rendezvous` is "HOST:PORT", and no folder.
bool is_meeting_point(const std::string &rendezvous);

/// Whether "host:port" or "unix:path" can be reached from this machine alone.
bool is_local(std::string_view address);

/// Whether nothing is trained: no steps and no epochs.
bool only_evaluates(const RunConfig &config);

/// Steps of a run whose epochs have `steps_per_epoch` steps; an error if that is too many to count.
Result<int64_t> count_steps(const RunConfig &config, int64_t steps_per_epoch);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_RUN_RUNCONFIG_H
