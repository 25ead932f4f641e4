// Generic collectives: gather a chunk of every rank, then compute locally in rank order.
// Steps: those of all_gather, once a chunk. Bytes received: N times the payload.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/GenericCollectives.h"

#include "runtime/core/Context.h"
#include "runtime/core/Names.h"
#include "runtime/core/Reduction.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace tutti::runtime {
namespace {

constexpr int64_t chunk_bytes = 1 << 18;

/// Gathers pieces of equal size from all ranks into scratch memory.
class Gatherer {
public:
  Gatherer(tutti_context *context, const tutti_call &call)
      : context(context), call(call), element_bytes(type_bytes(call.type)),
        chunk(chunk_bytes / element_bytes), scratch(size_t(chunk_bytes) * context->size),
        parts(context->size) {
    for (int32_t rank = 0; rank < context->size; ++rank)
      parts[rank] = scratch.data() + rank * chunk_bytes;
  }

  /// Calls `use(begin, count)` for chunks of `elements` elements that start `offset` elements into
  /// `source`; during the call part(r) holds those of rank r.
  template <typename Use>
  int32_t for_each_chunk(const void *source, int64_t offset, int64_t elements, Use use) {
    for (int64_t begin = 0; begin < elements; begin += chunk) {
      int64_t count = std::min(chunk, elements - begin);
      const char *piece = static_cast<const char *>(source) + (offset + begin) * element_bytes;
      if (int32_t status = gather(piece, count))
        return status;
      use(begin, count);
    }
    return TUTTI_OK;
  }

  const void *const *all_parts() const { return parts.data(); }
  const void *part(int64_t rank) const { return parts[rank]; }
  int64_t bytes(int64_t elements) const { return elements * element_bytes; }

private:
  int32_t gather(const void *piece, int64_t count) {
    void *destination = scratch.data();
    tutti_call gather_call = call;
    gather_call.count = 1;
    gather_call.sources = &piece;
    gather_call.destinations = &destination;
    gather_call.elements = &count;
    int32_t status = context->backend->all_gather(context->state, context, &gather_call);
    for (int32_t rank = 0; rank < context->size; ++rank)
      parts[rank] = scratch.data() + rank * bytes(count);
    return status;
  }

  tutti_context *context;
  const tutti_call &call;
  int64_t element_bytes;
  int64_t chunk;
  std::vector<char> scratch;
  std::vector<const void *> parts;
};

} // namespace

int32_t generic_all_reduce(tutti_context *context, const tutti_call &call) {
  Gatherer gatherer(context, call);
  for (int64_t i = 0; i < call.count; ++i) {
    auto reduce = [&](int64_t begin, int64_t count) {
      void *destination = static_cast<char *>(call.destinations[i]) + gatherer.bytes(begin);
      reduce_in_order(call.type, call.reduction, gatherer.all_parts(), context->size, &destination,
                      1, count);
    };
    if (int32_t status = gatherer.for_each_chunk(call.sources[i], 0, call.elements[i], reduce))
      return status;
  }
  return TUTTI_OK;
}

int32_t generic_broadcast(tutti_context *context, const tutti_call &call) {
  Gatherer gatherer(context, call);
  for (int64_t i = 0; i < call.count; ++i) {
    auto copy = [&](int64_t begin, int64_t count) {
      std::memcpy(static_cast<char *>(call.destinations[i]) + gatherer.bytes(begin),
                  gatherer.part(call.root), gatherer.bytes(count));
    };
    // Only the root's source may be read, so the others offer what they will overwrite anyway.
    const void *source = context->rank == call.root ? call.sources[i] : call.destinations[i];
    if (int32_t status = gatherer.for_each_chunk(source, 0, call.elements[i], copy))
      return status;
  }
  return TUTTI_OK;
}

int32_t generic_reduce_scatter(tutti_context *context, const tutti_call &call) {
  Gatherer gatherer(context, call);
  for (int64_t i = 0; i < call.count; ++i)
    for (int32_t part = 0; part < context->size; ++part) {
      auto reduce = [&](int64_t begin, int64_t count) {
        if (part != context->rank)
          return;
        void *destination = static_cast<char *>(call.destinations[i]) + gatherer.bytes(begin);
        reduce_in_order(call.type, call.reduction, gatherer.all_parts(), context->size,
                        &destination, 1, count);
      };
      int64_t offset = part * call.elements[i];
      if (int32_t status =
              gatherer.for_each_chunk(call.sources[i], offset, call.elements[i], reduce))
        return status;
    }
  return TUTTI_OK;
}

int32_t generic_barrier(tutti_context *context, int64_t plan_entry) {
  char byte = 0;
  std::vector<char> all(context->size);
  const void *source = &byte;
  void *destination = all.data();
  int64_t one = 1;
  tutti_call call = {plan_entry, TUTTI_U8, 0, 0, 0, 1, &source, &destination, &one};
  return context->backend->all_gather(context->state, context, &call);
}

} // namespace tutti::runtime
