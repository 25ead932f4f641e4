// The memory through which a worker and a server of one machine exchange rows. It is an anonymous
// file that lives as long as someone has it open, so nothing can be left behind.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_SHM_ROWQUEUE_H
#define TUTTI_RUNTIME_SERVERS_SHM_ROWQUEUE_H

#include "runtime/host/program/Manifest.h"
#include "runtime/servers/shm/SharedCount.h"

#include <memory>

namespace tutti::runtime::servers {

enum class RequestKind : uint32_t {
  pull = 1,
  pull_with_states = 2,
  push = 3,
  prefetch = 4,
  leave = 5 ///< the worker has died for good, says the launcher
};

/// A request, as the worker writes it: `bytes` bytes from `offset` of the row queue's data, parts
/// one after the other, each of another table.
struct RequestHead {
  RequestKind kind;
  int64_t step, parts, offset, bytes;
};

/// How a part begins. After it, each at a multiple of 64 bytes: indices (int64), scalars and
/// gradients of a push, or room for the rows that the others are answered with.
struct alignas(64) PartHead {
  int64_t table, count, scalar_bytes;
  /// Of a pull: its rows are those of the last prefetch, and lie where that has them. The part has
  /// neither indices nor rows; the server replaces those that have changed since.
  int64_t is_prefetched;
};

/// A request and its answer.
struct alignas(64) QueuedRequest {
  RequestHead head;
  int32_t status;    ///< the server's, once it is counted as answered
  char message[452]; ///< with a NUL, unless the status is TUTTI_OK
};

/// Of one worker and one server. Request n is requests[n % most_requests]; requests are answered in
/// the order in which they are posted.
struct RowQueueBlock {
  static constexpr uint32_t most_requests = 64;

  SharedCount posted;                               ///< requests, by the worker
  SharedCount answered;                             ///< requests, by the server
  alignas(128) std::atomic<int32_t> server_process; ///< 0: it has not begun
  std::atomic<uint32_t> is_closed;                  ///< the server answers no more
  QueuedRequest requests[most_requests];
};

/// The row queues of all workers of one server. Closes its descriptor at its end.
class RowQueueFile {
public:
  /// For `workers` workers; memory is used when touched, so that requests may be as large as a
  /// program's `tables` could need.
  static Result<RowQueueFile> create(const std::vector<worker::ServedTable> &tables,
                                     int64_t workers);
  RowQueueFile(RowQueueFile &&other) noexcept;
  RowQueueFile &operator=(RowQueueFile &&other) noexcept;
  ~RowQueueFile();

  int descriptor() const { return file; }
  /// Posts for worker `worker`, whose process has ended, that it does not come back. False if its
  /// row queue has no room yet.
  Result<bool> leave(int64_t worker) const;

private:
  explicit RowQueueFile(int file) : file(file) {}
  int file = -1;
};

/// One row queue, as this process sees it.
class RowQueue {
public:
  /// That of worker `worker` in the file of `descriptor`, which stays the caller's.
  static Result<RowQueue> map(int descriptor, int64_t worker);
  /// How many workers the file of `descriptor` is for.
  static Result<int64_t> workers_of(int descriptor);

  RowQueueBlock &block() const { return *reinterpret_cast<RowQueueBlock *>(memory.get()); }
  char *data() const { return memory.get() + block_bytes; }
  int64_t data_bytes() const { return memory.get_deleter().bytes - block_bytes; }

  static constexpr int64_t page = 4096;
  static constexpr int64_t block_bytes = (int64_t(sizeof(RowQueueBlock)) + page - 1) / page * page;

private:
  struct Unmap {
    int64_t bytes;
    void operator()(char *memory) const;
  };
  explicit RowQueue(std::unique_ptr<char, Unmap> memory) : memory(std::move(memory)) {}

  std::unique_ptr<char, Unmap> memory;
};

/// The places of what a part of a request has, in bytes after its head's begin.
struct PartLayout {
  PartLayout(int64_t count, int64_t scalar_bytes, int64_t row_bytes)
      : scalars(indices + in_lines(count * int64_t(sizeof(int64_t)))),
        rows(scalars + in_lines(scalar_bytes)), total(rows + in_lines(count * row_bytes)) {}
  /// Whether a part in `bytes` bytes could have so many rows: then no number above is too large.
  static bool fits(int64_t count, int64_t scalar_bytes, int64_t row_bytes, int64_t bytes) {
    return count >= 0 && count <= bytes / (int64_t(sizeof(int64_t)) + row_bytes) &&
           scalar_bytes >= 0 && scalar_bytes <= bytes &&
           PartLayout(count, scalar_bytes, row_bytes).total <= bytes;
  }
  static int64_t in_lines(int64_t bytes) { return (bytes + 63) & ~int64_t(63); }

  static constexpr int64_t indices = int64_t(sizeof(PartHead));
  int64_t scalars, rows, total;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_SHM_ROWQUEUE_H
