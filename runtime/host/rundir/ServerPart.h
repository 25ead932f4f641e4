// A server's file of a checkpoint: the rows of its tables that were ever used, as they were after
// a step, with the states of their optimizers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUNDIR_SERVERPART_H
#define TUTTI_RUNTIME_HOST_RUNDIR_SERVERPART_H

#include "runtime/host/checkpoint/Safetensors.h"
#include "runtime/host/rundir/folder/RunState.h"

#include <functional>
#include <optional>

namespace tutti::runtime::rundir {

/// What the file says beside its rows. Of each table it has two tensors: "index.NAME", i64 [n], by
/// which rows ascend, and "rows.NAME", [n, numbers of a row and its states], each row with its
/// states after it; and if rules say how long rows are kept "lives.NAME", i64 [n], what the server
/// needs to know of each (servers::RowLives). The last tensor, "checksum", is the text of a
/// FileChecksum over all before it: rows are written as they come.
struct ServerPart {
  /// Of a table, whatever rows of it are here.
  struct Table {
    int64_t rows = 0;
    std::vector<std::string> states; ///< their names, in the order of the manifest
    /// By which rows were kept (servers::RowRules); none: nobody wrote them down.
    struct Rules {
      int64_t admit_after = 1, evict_after = 0;
    };
    std::optional<Rules> rules;
  };

  std::string program;
  std::string launch; ///< as in RunState
  int64_t step = 0;
  int64_t server = 0, servers = 1; ///< who wrote it
  std::map<std::string, Table> tables;
  std::vector<int64_t> workers = {}; ///< of asynchronous tables: how many pushes of each they have

  static ServerPart of(const worker::RunConfig &config, const worker::Manifest &manifest,
                       int64_t server);
  Metadata metadata() const;
  static Result<ServerPart> parse(const Metadata &metadata);
};

/// Whole rows of a table, one after the other.
struct SomeRows {
  std::string_view values;
  const std::vector<int64_t> *lives;
};

/// The rows of one table, one after another, twice: first their indices, then their values.
struct RowSource {
  int64_t count = 0;
  bool has_lives = false;
  std::function<std::vector<int64_t>()> more_indices; ///< the next ones; none at the end
  std::function<Result<SomeRows>()> more_rows;        ///< the next ones; none at the end
};

/// Writes what `sources` give, one for each of `tables`, as output::OutputFile does.
Error write_server_part(const std::string &path, const ServerPart &part,
                        const std::vector<worker::ServedTable> &tables,
                        const std::vector<RowSource> &sources);

/// Whether the checksum of a file that write_server_part wrote is right.
bool is_sum_right(const checkpoint::StoredFile &file);

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_HOST_RUNDIR_SERVERPART_H
