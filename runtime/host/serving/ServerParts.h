// A server's tables in the checkpoints of a run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_SERVING_SERVERPARTS_H
#define TUTTI_RUNTIME_HOST_SERVING_SERVERPARTS_H

#include "runtime/host/run/RunConfig.h"
#include "runtime/host/rundir/SavedTables.h"
#include "runtime/servers/Placement.h"
#include "runtime/servers/TableSave.h"
#include "runtime/servers/rpc/PartKeeper.h"
#include "runtime/support/system/BackgroundJob.h"

#include <atomic>
#include <mutex>

namespace tutti::runtime::worker {

/// Writes parts of checkpoints beside the steps, and fills tables from checkpoints of any number of
/// servers.
class ServerParts final : public servers::PartKeeper {
public:
  /// Of `config.server`, which holds its rows of `tables`, those of the manifest. All must outlive
  /// this object.
  ServerParts(const WorkerConfig &config, const Manifest &manifest,
              const std::vector<servers::Table *> &tables);

  Result<std::vector<int64_t>> hold() override;
  Error begin_save(int64_t step, const std::string &launch,
                   const std::vector<int64_t> &workers) override;
  Result<servers::SaveProgress> follow_save(int64_t step, double seconds) override;
  Error load(int64_t step) override;

private:
  Error write();
  Error load_checkpoint(int64_t step);
  Error load_file();
  Error load_nothing();
  servers::RowRules rules_for(const rundir::SavedTables &saved, size_t table) const;
  void keep_rules(size_t table, const servers::RowRules &rules);
  Error restore(const rundir::SavedTables &saved, size_t table, int64_t step,
                servers::RowStore &store);
  Error keep_own(size_t table, const std::vector<std::string_view> &wholes,
                 servers::RowStore &store) const;
  bool is_own(size_t table, int64_t row) const;

  const WorkerConfig &config;
  const Manifest &manifest;
  std::vector<servers::Table *> tables;
  std::vector<servers::Placement> placements; ///< by table
  rundir::Folder folder;
  std::mutex mutex; ///< of all below, but what the writer uses while it runs
  rundir::ServerPart part;
  servers::Aside aside;
  std::vector<std::unique_ptr<servers::TableSave>> saves;
  std::atomic<int64_t> rows_written = 0; ///< of the part
  Error problem;
  BackgroundJob writer; ///< last, so that it ends before what it uses
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_SERVING_SERVERPARTS_H
