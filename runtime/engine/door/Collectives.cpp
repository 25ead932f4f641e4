// The door's collectives: check the call, then run it now or start it for a future.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Door.h"
#include "runtime/engine/door/Call.h"

using namespace tutti::runtime;

namespace {

/// A call on a bucket; the rest is as its kind needs.
tutti_call bucket_call(int32_t kind, int64_t plan_entry, int32_t type, int64_t count,
                       const void *const *sources, void *const *destinations,
                       const int64_t *elements) {
  tutti_call call = {};
  call.plan_entry = plan_entry;
  call.kind = kind;
  call.type = type;
  call.count = count;
  call.sources = sources;
  call.destinations = destinations;
  call.elements = elements;
  return call;
}

tutti_call with_reduction(tutti_call call, int32_t reduction) {
  call.reduction = reduction;
  return call;
}

tutti_call with_peer(tutti_call call, int32_t peer, int64_t tag = 0) {
  call.peer = peer;
  call.tag = tag;
  return call;
}

} // namespace

#define BUCKET(kind) bucket_call(kind, plan_entry, type, count, sources, destinations, elements)

void door::tutti_all_reduce(tutti_context *context, int64_t plan_entry, int64_t group,
                            int32_t reduction, int32_t type, int64_t count,
                            const void *const *sources, void *const *destinations,
                            const int64_t *elements) {
  Call(context, group, with_reduction(BUCKET(TUTTI_ALL_REDUCE), reduction)).reduces().run();
}

void door::tutti_broadcast(tutti_context *context, int64_t plan_entry, int64_t group, int32_t root,
                           int32_t type, int64_t count, const void *const *sources,
                           void *const *destinations, const int64_t *elements) {
  Call(context, group, with_peer(BUCKET(TUTTI_BROADCAST), root)).has_root().run();
}

void door::tutti_all_gather(tutti_context *context, int64_t plan_entry, int64_t group, int32_t type,
                            int64_t count, const void *const *sources, void *const *destinations,
                            const int64_t *elements) {
  Call(context, group, BUCKET(TUTTI_ALL_GATHER)).run();
}

void door::tutti_reduce_scatter(tutti_context *context, int64_t plan_entry, int64_t group,
                                int32_t reduction, int32_t type, int64_t count,
                                const void *const *sources, void *const *destinations,
                                const int64_t *elements) {
  Call(context, group, with_reduction(BUCKET(TUTTI_REDUCE_SCATTER), reduction)).reduces().run();
}

void door::tutti_reduce(tutti_context *context, int64_t plan_entry, int64_t group,
                        int32_t reduction, int32_t root, int32_t type, int64_t count,
                        const void *const *sources, void *const *destinations,
                        const int64_t *elements) {
  tutti_call call = with_peer(with_reduction(BUCKET(TUTTI_REDUCE), reduction), root);
  Call(context, group, call).reduces().has_root().run();
}

void door::tutti_gather(tutti_context *context, int64_t plan_entry, int64_t group, int32_t root,
                        int32_t type, int64_t count, const void *const *sources,
                        void *const *destinations, const int64_t *elements) {
  Call(context, group, with_peer(BUCKET(TUTTI_GATHER), root)).has_root().run();
}

void door::tutti_scatter(tutti_context *context, int64_t plan_entry, int64_t group, int32_t root,
                         int32_t type, int64_t count, const void *const *sources,
                         void *const *destinations, const int64_t *elements) {
  Call(context, group, with_peer(BUCKET(TUTTI_SCATTER), root)).has_root().run();
}

void door::tutti_all_to_all(tutti_context *context, int64_t plan_entry, int64_t group, int32_t type,
                            int64_t count, const void *const *sources, void *const *destinations,
                            const int64_t *elements) {
  Call(context, group, BUCKET(TUTTI_ALL_TO_ALL)).run();
}

void door::tutti_send(tutti_context *context, int64_t plan_entry, int64_t group, int32_t peer,
                      int64_t tag, int32_t type, int64_t count, const void *const *sources,
                      const int64_t *elements) {
  void *const *destinations = nullptr;
  Call(context, group, with_peer(BUCKET(TUTTI_SEND), peer, tag)).has_peer().run();
}

void door::tutti_recv(tutti_context *context, int64_t plan_entry, int64_t group, int32_t peer,
                      int64_t tag, int32_t type, int64_t count, void *const *destinations,
                      const int64_t *elements) {
  const void *const *sources = nullptr;
  Call(context, group, with_peer(BUCKET(TUTTI_RECV), peer, tag)).has_peer().run();
}

#undef BUCKET

void door::tutti_barrier(tutti_context *context, int64_t plan_entry, int64_t group) {
  Call(context, group,
       bucket_call(TUTTI_BARRIER, plan_entry, TUTTI_U8, 0, nullptr, nullptr, nullptr))
      .run();
}
