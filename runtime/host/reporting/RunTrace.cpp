// Recording from the exchange of plans to the end of the run, and writing it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/reporting/RunTrace.h"

#include "runtime/engine/core/Context.h"
#include "runtime/host/program/HostExchange.h"
#include "tutti/collectives.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace tutti::runtime::worker {
namespace {

/// Spans a thread can hold: some 80 MB of text.
constexpr size_t capacity = 1 << 18;
/// Of a text that travels.
constexpr int64_t piece_bytes = 1 << 20;

std::vector<int64_t> gather_sizes(tutti_context *context, int64_t plan_entry, int64_t own) {
  std::vector<int64_t> sizes(context->size);
  const void *source = &own;
  void *destination = sizes.data();
  int64_t one = 1;
  tutti_all_gather(context, plan_entry, TUTTI_GROUP_WORLD, TUTTI_I64, 1, &source, &destination,
                   &one);
  return sizes;
}

std::string node_name(const tutti_context &context) {
  const std::vector<int64_t> &nodes = context.node_of_rank;
  bool is_one =
      std::all_of(nodes.begin(), nodes.end(), [&](int64_t node) { return node == nodes.front(); });
  return is_one ? "" : text(" (node ", nodes[context.rank], ")");
}

} // namespace

Error RunTrace::open(const WorkerConfig &config) {
  path = config.run.trace;
  rank = config.rank;
  ranks = config.run.ranks;
  part = config.trace_descriptor;
  launch = config.run.start;
  steps = {config.run.trace_first - 1,
           config.run.trace_count > 0 ? config.run.trace_count : int64_t(-1)};
  if (path.empty() || part >= 0 || rank != 0)
    return Error::success();
  Result<trace::TraceFile> made = trace::TraceFile::create(path);
  if (!made)
    return made.error();
  file.emplace(std::move(*made));
  return Error::success();
}

void RunTrace::start(tutti_context *context, const Program &program) {
  if (path.empty())
    return;
  const Manifest &manifest = program.manifest;
  program_name = manifest.program;
  plan_entry = entry_of(manifest, HostExchange::trace);
  clock = agree_on_clocks(context, plan_entry);
  for (const PlanEntry &entry : manifest.plan)
    names.plan[entry.id] = {entry.description, entry.line, entry.predicted_seconds.value_or(-1)};
  names.plan[plan_entry] = {"the trace", "", -1};
  node = node_name(*context);
  recording.emplace(steps, capacity);
  record_phases();
  context->trace = recorder();
}

void RunTrace::record_phases() {
  for (const EarlyPhase &phase : phases) {
    trace::Span span = {};
    span.kind = trace::Kind::phase;
    span.name = phase.name;
    span.begin = phase.begin;
    span.end = phase.end;
    span.step = -1;
    recording->compute.add(span);
  }
}

/// What our launcher did for all ranks is a process of its own; what others started did it itself.
std::string RunTrace::events_before(int64_t origin) {
  std::vector<trace::StartSpan> spans;
  for (const StartSpan &span : launch)
    spans.push_back({span.name, span.begin, span.end != 0 ? span.end : begin.nanoseconds});
  if (part < 0)
    return trace::events_of_start(spans, origin, rank, "");
  return rank == 0 ? trace::events_of_start(spans, origin, trace::launcher_process, "dist-run")
                   : "";
}

std::string RunTrace::events() {
  trace::Timeline timeline{begin, trace::ClockReading::take(), clock.origin};
  trace::RankIdentity identity;
  identity.rank = rank;
  identity.name = text("rank ", rank, node);
  if (clock.uncertainty > 0)
    identity.label = text("clock known to ", double(clock.uncertainty) / 1e3, " us");
  std::string before = launch.empty() ? "" : events_before(clock.origin);
  return before + (before.empty() ? "" : ",\n") +
         trace::events_of(*recording, names, timeline, identity);
}

Error RunTrace::write(tutti_context *context) {
  if (!recording)
    return Error::success();
  std::string own = events();
  if (rank == 0 && recording->first_left_out() >= 0)
    std::fprintf(stderr,
                 "note: the trace is full: nothing is recorded from step %lld on; choose steps "
                 "with --trace-steps\n",
                 (long long)recording->first_left_out() + 1);
  if (part >= 0)
    return trace::write_part(part, own);
  return gather(context, own);
}

Error RunTrace::gather(tutti_context *context, const std::string &own) {
  std::vector<int64_t> sizes = gather_sizes(context, plan_entry, int64_t(own.size()));
  if (rank != 0) {
    send_text(context, own);
    return Error::success(); // what is wrong with the context is said elsewhere
  }
  file->add_rank();
  file->add_piece(own.data(), own.size());
  int32_t next = 1;
  for (; next < context->size && context->ok(); ++next) {
    std::string text = receive_text(context, next, sizes[next]);
    if (!context->ok())
      break;
    file->add_rank();
    file->add_piece(text.data(), text.size());
  }
  std::vector<int64_t> missing(context->size - next);
  std::iota(missing.begin(), missing.end(), next);
  return file->commit(about_trace(program_name, ranks, missing));
}

void RunTrace::send_text(tutti_context *context, const std::string &text) {
  for (size_t sent = 0; sent < text.size() && context->ok(); sent += piece_bytes) {
    const void *source = text.data() + sent;
    int64_t bytes = std::min(piece_bytes, int64_t(text.size() - sent));
    tutti_send(context, plan_entry, TUTTI_GROUP_WORLD, 0, 0, TUTTI_U8, 1, &source, &bytes);
  }
}

std::string RunTrace::receive_text(tutti_context *context, int32_t from, int64_t bytes) {
  std::string text(size_t(bytes), '\0');
  for (int64_t received = 0; received < bytes && context->ok(); received += piece_bytes) {
    void *destination = text.data() + received;
    int64_t now = std::min(piece_bytes, bytes - received);
    tutti_recv(context, plan_entry, TUTTI_GROUP_WORLD, from, 0, TUTTI_U8, 1, &destination, &now);
  }
  return text;
}

} // namespace tutti::runtime::worker
