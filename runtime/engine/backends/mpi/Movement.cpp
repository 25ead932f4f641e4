// Collectives that move data, and messages. Each buffer of a bucket is one call of MPI; all are
// started, then awaited together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/mpi/Collectives.h"

#include <climits>
#include <cstring>

namespace tutti::runtime::mpi {
namespace {

/// A type of MPI that is as wide as an element.
MPI_Datatype datatype_of_width(int64_t bytes) {
  switch (bytes) {
  case 2:
    return MPI_UINT16_T;
  case 4:
    return MPI_UINT32_T;
  case 8:
    return MPI_UINT64_T;
  default:
    return MPI_BYTE;
  }
}

/// One buffer of a call, as MPI wants it.
struct Buffer {
  const void *source;
  void *destination;
  int elements;
  MPI_Datatype type;
  MPI_Comm communicator;
  int64_t bytes; ///< of `elements`

  void *part(int32_t rank) const { return static_cast<char *>(destination) + rank * bytes; }
};

bool fits(const tutti_call &call) {
  for (int64_t i = 0; i < call.count; ++i)
    if (call.elements[i] > INT_MAX)
      return false;
  return true;
}

/// Calls start(buffer, request) for every buffer that is not empty, and waits for all.
template <typename Start>
int32_t run(Communicator &communicator, tutti_context *context, const tutti_call &call,
            const char *name, Start start) {
  if (!fits(call))
    return TUTTI_UNSUPPORTED;
  int64_t width = tutti_type_bytes(call.type);
  Operations operations;
  for (int64_t i = 0; i < call.count; ++i) {
    if (call.elements[i] == 0)
      continue;
    Buffer buffer = {call.sources[i],          call.destinations[i],  int(call.elements[i]),
                     datatype_of_width(width), communicator.handle(), call.elements[i] * width};
    if (Error error = check(name, start(buffer, operations.start()))) {
      tutti_context_fail(context, error.status, error.message.c_str());
      return error.status;
    }
  }
  return communicator.wait(context, call.plan_entry, operations);
}

} // namespace

int32_t broadcast(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  bool is_root = communicator.rank() == call.peer;
  return run(communicator, context, call, "MPI_Ibcast", [&](const Buffer &b, MPI_Request *request) {
    if (is_root && b.source != b.destination)
      std::memcpy(b.destination, b.source, size_t(b.bytes));
    return MPI_Ibcast(b.destination, b.elements, b.type, call.peer, b.communicator, request);
  });
}

int32_t all_gather(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  return run(communicator, context, call, "MPI_Iallgather",
             [&](const Buffer &b, MPI_Request *request) {
               bool is_in_place = b.source == b.part(communicator.rank());
               return MPI_Iallgather(is_in_place ? MPI_IN_PLACE : b.source, b.elements, b.type,
                                     b.destination, b.elements, b.type, b.communicator, request);
             });
}

int32_t gather(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  bool is_root = communicator.rank() == call.peer;
  return run(
      communicator, context, call, "MPI_Igather", [&](const Buffer &b, MPI_Request *request) {
        bool is_in_place = is_root && b.source == b.part(call.peer);
        return MPI_Igather(is_in_place ? MPI_IN_PLACE : b.source, b.elements, b.type, b.destination,
                           b.elements, b.type, call.peer, b.communicator, request);
      });
}

int32_t scatter(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  bool is_root = communicator.rank() == call.peer;
  return run(communicator, context, call, "MPI_Iscatter",
             [&](const Buffer &b, MPI_Request *request) {
               const void *own = static_cast<const char *>(b.source) + call.peer * b.bytes;
               bool is_in_place = is_root && b.destination == own;
               return MPI_Iscatter(b.source, b.elements, b.type,
                                   is_in_place ? MPI_IN_PLACE : b.destination, b.elements, b.type,
                                   call.peer, b.communicator, request);
             });
}

int32_t all_to_all(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  return run(communicator, context, call, "MPI_Ialltoall",
             [&](const Buffer &b, MPI_Request *request) {
               bool is_in_place = b.source == b.destination;
               return MPI_Ialltoall(is_in_place ? MPI_IN_PLACE : b.source, b.elements, b.type,
                                    b.destination, b.elements, b.type, b.communicator, request);
             });
}

int32_t barrier(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  Operations operations;
  Error error = check("MPI_Ibarrier", MPI_Ibarrier(communicator.handle(), operations.start()));
  if (!error)
    return communicator.wait(context, call.plan_entry, operations);
  tutti_context_fail(context, error.status, error.message.c_str());
  return error.status;
}

/// How a program's tag travels: MPI has fewer tags than the door. The lower half of them, after
/// that of exchanges, are those from 0 on; any other tag shares one of the upper half with some,
/// and sends itself ahead.
struct Tag {
  int number;
  bool is_shared;

  Tag(int64_t tag, int64_t largest) {
    int64_t half = largest / 2;
    is_shared = tag < 0 || tag >= half;
    number = int(is_shared ? half + 1 + int64_t(uint64_t(tag) % uint64_t(half - 1)) : tag + 1);
  }
};

static int32_t transfer(Communicator &communicator, tutti_context *context, const tutti_call &call,
                        bool is_send) {
  Error error;
  Tag tag(call.tag, communicator.largest_tag());
  int64_t width = tutti_type_bytes(call.type);
  Operations operations;
  auto ahead = operations.keep(std::make_shared<int64_t>(is_send ? call.tag : 0));
  if (tag.is_shared)
    error = communicator.start({call.peer, is_send, ahead.get(), sizeof *ahead}, tag.number,
                               operations);
  for (int64_t i = 0; i < call.count && !error; ++i) {
    void *memory = is_send ? const_cast<void *>(call.sources[i]) : call.destinations[i];
    error = communicator.start({call.peer, is_send, memory, call.elements[i] * width}, tag.number,
                               operations);
  }
  if (!error) {
    if (int32_t status = communicator.wait(context, call.plan_entry, operations))
      return status;
    if (tag.is_shared && *ahead != call.tag)
      error = Error::make(TUTTI_UNSUPPORTED, "a message with tag ", *ahead, " came for tag ",
                          call.tag, ": MPI cannot tell the two apart; use tags from 0 on");
  }
  if (error)
    tutti_context_fail(context, error.status, error.message.c_str());
  return error.status;
}

int32_t send(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  return transfer(communicator, context, call, /*is_send=*/true);
}

int32_t receive(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  return transfer(communicator, context, call, /*is_send=*/false);
}

} // namespace tutti::runtime::mpi
