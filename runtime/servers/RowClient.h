// What a worker asks of all its servers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_ROWCLIENT_H
#define TUTTI_RUNTIME_SERVERS_ROWCLIENT_H

#include "runtime/servers/RowChannel.h"
#include "runtime/servers/RowDivision.h"
#include "tutti/rows.h"

#include <memory>

namespace tutti::runtime::servers {

/// A row service that divides each list over servers and asks them all at once, whichever way they
/// are reached. A row that is looked up several times travels once. One thread at a time.
class RowClient {
public:
  /// `channels` by the numbers of the servers.
  RowClient(std::vector<worker::ServedTable> tables,
            std::vector<std::unique_ptr<RowChannel>> channels);
  RowClient(const RowClient &) = delete;

  /// For tutti_context_set_rows; this object's.
  const tutti_row_service *service() const { return &functions; }

  /// Row list.indices[i] as it is before list.step to `out`, with `states` each with those behind
  /// it.
  Error pull(const tutti_row_list &list, char *out, bool states);
  /// Sends the gradients; what a server says to them comes with a later call, at the latest
  /// finish().
  Error push(const tutti_row_list &list, const char *gradients, std::string_view scalars);
  /// Waits until the servers have all pushes.
  Error finish();

private:
  /// That rows are in range is promised by who asks, see tutti/rows.h.
  Error check(const tutti_row_list &list) const;
  Error ask(const tutti_row_list &list, int64_t row_bytes, bool states);

  std::vector<worker::ServedTable> tables;
  std::vector<Placement> placements; ///< by table
  std::vector<std::unique_ptr<RowChannel>> channels;
  RowDivision division;
  std::vector<int64_t> asked;        ///< servers
  std::vector<const char *> answers; ///< by server
  tutti_row_service functions;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_ROWCLIENT_H
