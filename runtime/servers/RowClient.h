// What a worker asks of all its servers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_ROWCLIENT_H
#define TUTTI_RUNTIME_SERVERS_ROWCLIENT_H

#include "runtime/servers/RowChannel.h"
#include "runtime/servers/RowDivision.h"
#include "tutti/rows.h"

#include <memory>

namespace tutti::runtime::servers {

/// A row service that divides lists over servers and asks them all at once, whichever way they are
/// reached: a server gets one message for all lists of a pull, and one for the pushes of a step. A
/// row that is looked up several times travels once. One thread at a time.
class RowClient {
public:
  /// `channels` by the numbers of the servers.
  RowClient(std::vector<worker::ServedTable> tables,
            std::vector<std::unique_ptr<RowChannel>> channels);
  RowClient(const RowClient &) = delete;

  /// For tutti_context_set_rows; this object's.
  const tutti_row_service *service() const { return &functions; }

  /// Row lists[l].indices[i] as it is before the lists' step to out[l], with `states` each with
  /// those after it.
  Error pull(const tutti_row_list *lists, int64_t count, void *const *out, bool states);
  /// Says what a later step pulls. It is asked for when the next pull has its answer, and has
  /// arrived when that step begins, if all goes well.
  Error prefetch(const tutti_row_list *lists, int64_t count);
  /// Sends the gradients, with those of the step's other tables; what a server says to them comes
  /// with a later call, at the latest finish().
  Error push(const tutti_row_list &list, const char *gradients, std::string_view scalars);
  /// Waits until the servers have all pushes.
  Error finish();

private:
  /// What is asked of one table: all lists of a message, one after the other.
  struct Ask {
    explicit Ask(int64_t servers) : division(servers) {}
    int64_t table = 0, row_bytes = 0;
    RowWire wire;
    bool states = false, is_prefetched = false;
    std::vector<int64_t> indices;
    RowDivision division;
    std::vector<char *> answers; ///< by server
    size_t unpacked = 0;         ///< of the indices

    int64_t packed_bytes() const { return wire.bytes_of(row_bytes); }
    /// What is asked of `server`.
    RowPart part_of(int64_t server) const;
    void unpack(int64_t count, char *out);
  };
  /// By the order in which tables come first. Memory is kept from message to message.
  struct Asks {
    std::vector<Ask> all;
    size_t used = 0;
    int64_t step = -1;
    std::vector<int64_t> of_list; ///< which of them each list is a part of
  };

  /// That rows are in range is promised by who asks, see tutti/rows.h.
  Error check(const tutti_row_list &list) const;
  Error collect(const tutti_row_list *lists, int64_t count, bool states, Asks &asks) const;
  bool take_prefetched(Ask &ask, int64_t step);
  Error ask(Asks &asks, size_t begin, size_t end);
  Error post_prefetch();
  Error post_pushes();

  std::vector<worker::ServedTable> tables;
  std::vector<Placement> placements; ///< by table
  std::vector<std::unique_ptr<RowChannel>> channels;
  DistinctRows distinct;
  RowDivision division; ///< of a push
  Asks asks;            ///< of the pull
  Asks next;            ///< what is to be asked for ahead
  Asks ahead;           ///< what was
  bool has_next = false;
  int64_t pushed_step = -1, pushed = 0; ///< how many tables were pushed in that step
  int64_t open_bytes = 0;               ///< of pushes that are not sent
  RowRequest request;                   ///< one message
  tutti_row_service functions;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_ROWCLIENT_H
