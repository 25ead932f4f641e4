// The options of servers of tables, and of the roles of a cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/storage/RowRules.h"
#include "runtime/servers/storage/StorageChoice.h"
#include "tools/dist-run/options/OptionRow.h"

#include "llvm/ADT/STLExtras.h"

using namespace tutti;
using namespace tutti::runtime::servers;
using runtime::worker::ClusterSpec;
using runtime::worker::RunConfig;

static void parseStorage(RunOptions &options, const std::string &text) {
  if (auto choice = StorageChoice::parse(text); !choice)
    throw CLI::ValidationError("--server-storage", choice.error().message);
  options.config.server_storage = text;
}

static std::string keepsAllRows(const RunOptions &options, const RunFacts &facts) {
  return noEffect(facts.hasTables && options.config.server_storage == "memory",
                  "servers keep all rows in memory; --server-storage says where else");
}

static std::vector<OptionRow> serverRows() {
  return {
      value("--server-storage", parseStorage,
            "Where servers keep the rows of tables: in memory (default), in a file of a folder, or "
            "with RocksDB in a folder")
          .takes("memory|file:FOLDER|rocksdb:FOLDER")
          .idle({calibrates, hasNoTables}),
      // At least a page for each of some rows.
      number("--server-cache-bytes", &RunConfig::server_cache_bytes, {1 << 16},
             "With file and rocksdb: so many bytes of rows are in the memory of a server (default: "
             "file: as the system likes, rocksdb: 1 GiB)")
          .idle({calibrates, hasNoTables, keepsAllRows}),
      number("--server-admit-after", &RunConfig::server_admit_after, {1, RowRules::most_pushes},
             "Keep a row from its Nth push on; until then it stays as it began (default: as the "
             "run directory has it, or 1)")
          .idle({calibrates, hasNoTables, onlyEvaluates}),
      number("--server-evict-after", &RunConfig::server_evict_after, {0, RowRules::most_steps},
             "A row that is not pushed for N steps is again as it began; 0: never (default: as the "
             "run directory has it, or never)")
          .idle({calibrates, hasNoTables, onlyEvaluates}),
  };
}

static void parseRole(RunOptions &options, const std::string &name) {
  auto role = ClusterSpec::parse_role(name);
  if (!role)
    throw CLI::ValidationError("--role", role.error().message);
  options.roles.role = *role;
}

static OptionRow hosts(const char *name, std::vector<std::string> ClusterSpec::*field,
                       const char *help) {
  return texts(name, field, help).takes("HOST:PORT,...").needs({"--role"});
}

static std::vector<OptionRow> roleRows() {
  OptionRow role = value("--role", parseRole,
                         "What this process is in a cluster of several machines (default: as "
                         "TF_CONFIG says)");
  role.words = {"chief", "worker", "ps", "evaluator"};
  return {
      role,
      number("--task-index", &ClusterSpec::index, {0, 1 << 20},
             "Which of its role it is, from 0 (default: 0)")
          .needs({"--role"}),
      hosts("--ps-hosts", &ClusterSpec::servers, "Servers, which hold tables"),
      hosts("--worker-hosts", &ClusterSpec::workers, "Workers"),
      hosts("--chief-host", &ClusterSpec::chief,
            "The worker that saves, restores and writes summaries (default: worker 0)"),
      hosts("--evaluator-host", &ClusterSpec::evaluator,
            "The process that evaluates checkpoints during the training"),
      text("--token,--server-token", &RunConfig::server_token,
           "The secret that all processes of a run share; needed where other machines can "
           "reach a server, or the place where ranks meet (default: the user's own)")
          .takes("FILE"),
      text("--server-certificate", &RunConfig::server_certificate,
           "Of a server: connections use TLS with it")
          .takes("FILE.pem"),
      text("--server-key", &RunConfig::server_key, "Of the certificate").takes("FILE.pem"),
      text("--server-authority", &RunConfig::server_authority,
           "Whose certificates of servers are trusted; with it connections use TLS")
          .takes("FILE.pem"),
  };
}

std::vector<OptionRow> tutti::clusterRows() {
  std::vector<OptionRow> rows = serverRows();
  llvm::append_range(rows, roleRows());
  return rows;
}
