// The rows of tables in a checkpoint, whichever servers wrote them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUNDIR_SAVEDTABLES_H
#define TUTTI_RUNTIME_HOST_RUNDIR_SAVEDTABLES_H

#include "runtime/host/rundir/WholeCheckpoint.h"

namespace tutti::runtime::rundir {

/// What a checkpoint has of the tables of a program. The checkpoint must outlive it.
class SavedTables {
public:
  /// Looks at all indices, and at no row. An error names the file, and says what is wrong: another
  /// table, indices that are not in order or out of range, a row that two files have.
  static Result<SavedTables> open(const WholeCheckpoint &checkpoint,
                                  const std::vector<worker::ServedTable> &tables);

  /// A row that is there.
  struct Row {
    int64_t index;
    std::optional<int64_t> life; ///< as in ServerPart; none if no rules were in force
    std::string_view values;     ///< with its states; of no alignment
  };
  /// Calls `use` with each of table number `table`, file by file, in ascending order in each. Ends
  /// with the first error.
  Error for_each_row(size_t table, const std::function<Error(const Row &)> &use) const;

  /// By which rules table number `table` kept its rows; none: nobody wrote them down.
  const std::optional<ServerPart::Table::Rules> &rules(size_t table) const {
    return rules_of[table];
  }
  /// How many pushes of each worker are in them; empty where workers are in step.
  const std::vector<int64_t> &workers() const { return pushes; }

private:
  /// Of one table in one file.
  struct Part {
    std::string_view indices, rows, lives; ///< `lives` may be empty
    int64_t count() const { return int64_t(indices.size() / sizeof(int64_t)); }
  };

  /// An error does not name the file.
  static Result<Part> find(const WholeCheckpoint::ServerFile &file,
                           const worker::ServedTable &table);

  std::vector<std::vector<Part>> parts_of;                       ///< by table
  std::vector<std::optional<ServerPart::Table::Rules>> rules_of; ///< by table
  std::vector<int64_t> pushes;                                   ///< by worker
};

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_HOST_RUNDIR_SAVEDTABLES_H
