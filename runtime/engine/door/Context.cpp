// The door's functions on a context.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Context.h"

#include "runtime/engine/core/CommunicationThread.h"
#include "runtime/engine/core/Door.h"
#include "runtime/engine/core/WaitReporter.h"
#include "runtime/engine/door/Node.h"

#include <cerrno>
#include <cstdio>
#include <new>
#include <numeric>
#include <sys/mman.h>

using namespace tutti::runtime;

/// Private memory for backends that have no memory of their own; large pieces ask for large pages,
/// because first touch of small pages costs eight times as much.
static int32_t map_private(tutti_context *context, int64_t bytes, void **out_memory) {
  size_t rounded = (size_t(bytes) + 4095) & ~size_t(4095);
  void *memory = mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    context->fail(TUTTI_OUT_OF_MEMORY,
                  text("cannot allocate ", bytes, " bytes: ", system_message(errno)));
    return context->status;
  }
  madvise(memory, rounded, MADV_HUGEPAGE); // advice only: works without it too
  context->mappings.push_back({memory, rounded});
  *out_memory = memory;
  return TUTTI_OK;
}

/// Where a node shares memory, its ranks read each other's buffers in place. Its memory may be used
/// up, which is no failure: buffers elsewhere are staged.
static bool allocate_on_node(const tutti_context &context, int64_t bytes, void **out_memory) {
  const Transport &node = context.node_transport;
  tutti_context attempt; // what fails here is recorded nowhere else
  return node.is_open() && node.backend->alloc &&
         node.backend->alloc(node.state, &attempt, bytes, out_memory) == TUTTI_OK;
}

/// What is wrong with `options`, or "".
static std::string invalid(const tutti_context_options &options) {
  if (options.struct_bytes != int64_t(sizeof(tutti_context_options)))
    return text("struct_bytes is ", options.struct_bytes, ", this library expects ",
                sizeof(tutti_context_options));
  if (options.size < 1 || options.rank < 0 || options.rank >= options.size)
    return text("rank ", options.rank, " of ", options.size, " ranks: needs 0 <= rank < size");
  for (double limit : {options.limits.stall_warning, options.limits.stall_error})
    if (!(limit >= 0 && limit < 1e9))
      return text("a limit for a stall of ", limit, " seconds");
  if (options.limits.threads < 0)
    return text(options.limits.threads, " threads");
  if (options.reduction_order < TUTTI_ORDER_RANKS || options.reduction_order > TUTTI_ORDER_NODES)
    return text("reduction order ", options.reduction_order, " is unknown");
  const tutti_backend *backend = options.backend;
  if (!backend || backend->version != TUTTI_BACKEND_VERSION ||
      backend->struct_bytes < sizeof(tutti_backend))
    return text("needs a backend of version ", TUTTI_BACKEND_VERSION);
  if (!backend->open || !backend->close || !backend->join || !backend->leave)
    return text("backend '", backend->name, "' lacks open, close, join or leave");
  if (options.size > 1 && !backend->exchange)
    return text("backend '", backend->name, "' lacks exchange");
  return "";
}

/// Zeros become the defaults, which are those of a context.
static void set_limits(tutti_limits &limits, const tutti_limits &given) {
  if (given.stall_warning > 0)
    limits.stall_warning = given.stall_warning;
  if (given.stall_error > 0)
    limits.stall_error = given.stall_error;
  if (given.threads > 0)
    limits.threads = given.threads;
}

int32_t door::tutti_context_create(const tutti_context_options *options,
                                   tutti_context **out_context) {
  if (!out_context)
    return TUTTI_INVALID_ARGUMENT;
  tutti_context *context = *out_context = new (std::nothrow) tutti_context;
  if (!context)
    return TUTTI_OUT_OF_MEMORY;
  std::string problem = options ? invalid(*options) : "options are null";
  if (!problem.empty()) {
    context->fail(TUTTI_INVALID_ARGUMENT, "cannot create a context: " + problem);
    return context->status;
  }
  context->rank = options->rank;
  context->size = options->size;
  context->reduction_order = options->reduction_order;
  set_limits(context->limits, options->limits);
  std::vector<int32_t> everyone(context->size);
  std::iota(everyone.begin(), everyone.end(), 0);
  context->world_transport.open(context, options->backend,
                                options->connection ? options->connection : "", std::move(everyone),
                                context->rank);
  if (context->ok())
    find_node(context, options->node, options->one_backend == 0);
  context->counters = {}; // what has passed so far is not the program's
  context->staged_bytes = 0;
  return context->status;
}

void door::tutti_context_destroy(tutti_context *context) { delete context; }

int32_t door::tutti_context_rank(const tutti_context *context) { return context->rank; }

int32_t door::tutti_context_size(const tutti_context *context) { return context->size; }

int32_t door::tutti_context_status(const tutti_context *context) { return context->status; }

const char *door::tutti_context_message(const tutti_context *context) {
  return context->message.c_str();
}

void door::tutti_context_fail(tutti_context *context, int32_t status, const char *message) {
  std::string kept = "out of memory"; // short enough to need none: the status is not lost with it
  try {
    kept = message ? message : "";
  } catch (const std::bad_alloc &) {
  }
  context->fail(status, kept);
}

void door::tutti_context_set_seed(tutti_context *context, uint64_t seed) { context->seed = seed; }

void door::tutti_context_set_step(tutti_context *context, int64_t step) {
  context->step = step;
  for (const Transport *transport : {&context->node_transport, &context->world_transport})
    if (transport->is_open() && transport->backend->set_step)
      transport->backend->set_step(transport->state, step);
}

void door::tutti_context_set_samples(tutti_context *context, int32_t shard,
                                     int64_t samples_per_step, int64_t local_batch) {
  context->shard = {shard, context->rank / context->neighbours, context->size / context->neighbours,
                    samples_per_step};
  if (shard < TUTTI_SHARD_NONE || shard > TUTTI_SHARD_CONTIGUOUS || local_batch < 1 ||
      (shard != TUTTI_SHARD_NONE && context->shard.local_samples() != local_batch))
    return context->fail(TUTTI_INVALID_ARGUMENT,
                         text("rank ", context->rank, " of ", context->size, " cannot have ",
                              local_batch, " of ", samples_per_step, " samples in shard mode ",
                              shard));
  context->local_batch = local_batch;
}

void door::tutti_context_set_neighbours(tutti_context *context, int64_t neighbours) {
  if (neighbours < 1 || context->size % neighbours != 0)
    return context->fail(TUTTI_INVALID_ARGUMENT, text(context->size, " ranks are no groups of ",
                                                      neighbours, " neighbours"));
  context->neighbours = neighbours;
}

void door::tutti_context_set_rows(tutti_context *context, const tutti_row_service *service) {
  if (service && (service->struct_bytes != sizeof *service || !service->pull || !service->push))
    return context->fail(TUTTI_INVALID_ARGUMENT,
                         "tutti_context_set_rows: the row service is not one of this version");
  context->waits.reset();
  context->rows = service;
  if (service && service->tell_waits)
    context->waits = std::make_unique<WaitReporter>(*context, *service);
}

void door::tutti_context_set_states(tutti_context *context, const tutti_state_service *service) {
  if (service && (service->struct_bytes != sizeof *service || !service->release))
    return context->fail(TUTTI_INVALID_ARGUMENT,
                         "tutti_context_set_states: the state service is not one of this version");
  context->states = service;
}

void door::tutti_context_describe_run(tutti_context *context, const char *record) {
  context->described_run = record ? record : "";
}

void door::tutti_context_describe_plan_entry(tutti_context *context, int64_t plan_entry,
                                             const char *description) {
  constexpr int64_t most_entries = 1 << 20;
  if (plan_entry < 0 || plan_entry >= most_entries || !description)
    return context->fail(TUTTI_INVALID_ARGUMENT,
                         text("plan entry ", plan_entry, " cannot be described"));
  if (plan_entry >= int64_t(context->plan.size()))
    context->plan.resize(plan_entry + 1);
  context->plan[plan_entry] = description;
}

int32_t door::tutti_context_alloc(tutti_context *context, int64_t bytes, void **out_memory) {
  *out_memory = nullptr;
  if (!context->ok())
    return context->status;
  if (bytes < 0) {
    context->fail(TUTTI_INVALID_ARGUMENT, text("cannot allocate ", bytes, " bytes"));
    return context->status;
  }
  int64_t rounded = bytes < 64 ? 64 : bytes;
  const Transport &world = context->world_transport;
  int32_t status = TUTTI_OK;
  if (!allocate_on_node(*context, rounded, out_memory))
    status = world.backend->alloc ? world.backend->alloc(world.state, context, rounded, out_memory)
                                  : map_private(context, rounded, out_memory);
  if (status == TUTTI_OK)
    context->counters.allocated_bytes += bytes;
  return status;
}

void door::tutti_context_counters(const tutti_context *context, tutti_counters *out_counters) {
  *out_counters = context->counters;
  if (context->communication_thread)
    context->communication_thread->add_to(*out_counters);
  out_counters->staged_bytes = context->staged_bytes.load(std::memory_order_relaxed);
}

void door::tutti_context_where(const tutti_context *context, int64_t plan_entry, char *out_text,
                               int64_t text_bytes) {
  if (out_text && text_bytes > 0)
    std::snprintf(out_text, size_t(text_bytes), "%s", context->where(plan_entry).c_str());
}
