// The compiled update of a table's rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_ROWUPDATE_H
#define TUTTI_RUNTIME_SERVERS_ROWUPDATE_H

#include "runtime/host/program/Buffers.h"
#include "runtime/host/program/Program.h"
#include "runtime/servers/RowStore.h"

#include <memory>

namespace tutti::runtime::servers {

/// A program that specialize-server made: its inputs are rows, states and gradients of a block of
/// rows, its outputs new rows and states, its variables what a push brings. One thread at a time.
class RowUpdate {
public:
  /// Loads the program at `path`, which must be that of `table`.
  static Result<RowUpdate> load(const std::string &path, const worker::ServedTable &table);

  /// How many bytes of scalars a push brings: each at a multiple of 8.
  int64_t scalar_bytes() const;

  /// Step `step`: updates `rows` of `store`, all distinct, by `gradients`, one after the other.
  Error apply(RowStore &store, int64_t step, const std::vector<int64_t> &rows,
              const char *gradients, std::string_view scalars);

private:
  struct Destroy {
    void operator()(tutti_context *context) const { tutti_context_destroy(context); }
  };

  Error check(const worker::ServedTable &table);
  Error apply_block(RowStore &store, int64_t step, const int64_t *rows, size_t count,
                    const char *gradients);
  Error context_error() const;

  std::unique_ptr<tutti_context, Destroy> context;
  worker::Program program;
  worker::Buffers buffers;
  std::vector<size_t> part_bytes; ///< of a row, and of each of its states
  std::vector<char *> places;     ///< of the rows of a block
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_ROWUPDATE_H
