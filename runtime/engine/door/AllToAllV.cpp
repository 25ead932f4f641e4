// all_to_all with counts: rows become elements, a matrix of counts becomes one rank's layout, and
// what would leave the buffers is refused before anything moves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Door.h"
#include "runtime/engine/door/Call.h"

using namespace tutti::runtime;

namespace {

/// One rank's side of an all_to_all_v, in rows.
struct Layout {
  std::pmr::vector<int64_t> counts, displacements;

  Layout(Scratch &scratch, const int64_t *given_counts, const int64_t *given_displacements,
         int32_t ranks)
      : counts(given_counts, given_counts + ranks, &scratch),
        displacements(given_displacements, given_displacements + ranks, &scratch) {}
  /// Parts one after the other: of `ranks` counts, each `stride` from the last.
  Layout(Scratch &scratch, const int64_t *given, int32_t ranks, int64_t stride)
      : counts(size_t(ranks), &scratch), displacements(size_t(ranks), &scratch) {
    int64_t end = 0;
    for (int32_t rank = 0; rank < ranks; ++rank) {
      counts[size_t(rank)] = given[rank * stride];
      displacements[size_t(rank)] = end;
      end += counts[size_t(rank)];
    }
  }
  Layout(const Layout &) = delete; // a copy would not be in scratch

  /// Why the parts do not lie within `rows` rows, or "".
  std::string problem(const char *side, int64_t rows) const {
    for (size_t rank = 0; rank < counts.size(); ++rank) {
      if (counts[rank] < 0 || displacements[rank] < 0 || displacements[rank] > rows ||
          counts[rank] > rows - displacements[rank])
        return text(side, " rank ", rank, ": ", counts[rank], " rows from row ",
                    displacements[rank], " of a buffer of ", rows);
    }
    return "";
  }

  void scale(int64_t factor) {
    for (std::pmr::vector<int64_t> *all : {&counts, &displacements})
      for (int64_t &value : *all)
        value *= factor;
  }
};

struct Buffers {
  const void *source;
  int64_t source_rows;
  void *destination;
  int64_t destination_rows;
  int64_t row_elements;
};

void run(Call &call, const Buffers &buffers, Layout &&send, Layout &&receive) {
  std::string problem = send.problem("to", buffers.source_rows);
  if (problem.empty())
    problem = receive.problem("from", buffers.destination_rows);
  if (problem.empty() && buffers.row_elements < 0)
    problem = text("rows of ", buffers.row_elements, " elements");
  if (!problem.empty())
    return void(call.refuse(TUTTI_INVALID_ARGUMENT, problem));
  send.scale(buffers.row_elements);
  receive.scale(buffers.row_elements);
  int64_t none = 0;
  tutti_call &fields = call.fields();
  fields.count = 1;
  fields.sources = &buffers.source;
  fields.destinations = &buffers.destination;
  fields.elements = &none;
  fields.send_counts = send.counts.data();
  fields.send_displacements = send.displacements.data();
  fields.receive_counts = receive.counts.data();
  fields.receive_displacements = receive.displacements.data();
  for (int64_t count : send.counts)
    call.count_elements(count);
  call.run();
}

Call make_call(tutti_context *context, int64_t plan_entry, int64_t group, int32_t type) {
  tutti_call fields = {};
  fields.plan_entry = plan_entry;
  fields.kind = TUTTI_ALL_TO_ALL_V;
  fields.type = type;
  return Call(context, group, fields);
}

} // namespace

void door::tutti_all_to_all_v(tutti_context *context, int64_t plan_entry, int64_t group,
                              int32_t type, int64_t row_elements, const void *source,
                              int64_t source_rows, void *destination, int64_t destination_rows,
                              const int64_t *send_counts, const int64_t *send_displacements,
                              const int64_t *receive_counts, const int64_t *receive_displacements) {
  Call call = make_call(context, plan_entry, group, type);
  if (!call.takes_part())
    return;
  run(call, {source, source_rows, destination, destination_rows, row_elements},
      Layout(context->scratch, send_counts, send_displacements, call.size()),
      Layout(context->scratch, receive_counts, receive_displacements, call.size()));
}

void door::tutti_all_to_all_vc(tutti_context *context, int64_t plan_entry, int64_t group,
                               int32_t type, int64_t row_elements, const void *source,
                               int64_t source_rows, void *destination, int64_t destination_rows,
                               const int64_t *counts) {
  Call call = make_call(context, plan_entry, group, type);
  if (!call.takes_part())
    return;
  int32_t ranks = call.size();
  run(call, {source, source_rows, destination, destination_rows, row_elements},
      Layout(context->scratch, counts + int64_t(call.rank()) * ranks, ranks, 1),
      Layout(context->scratch, counts + call.rank(), ranks, ranks));
}
