// Spans become complete events, the way of a started collective a flow, payloads a counter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/trace/SpanWriter.h"

#include "runtime/support/Error.h"
#include "runtime/support/system/NodeName.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

namespace tutti::runtime::trace {
namespace {

using Json = nlohmann::ordered_json;

enum Thread { compute_thread, communication_thread };

std::string dump(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Events count in microseconds; no digit of the nanoseconds is lost.
std::string microseconds(int64_t nanoseconds) {
  char out[32];
  std::snprintf(out, sizeof out, "%s%lld.%03lld", nanoseconds < 0 ? "-" : "",
                std::abs((long long)nanoseconds) / 1000, std::abs((long long)nanoseconds) % 1000);
  return out;
}

/// What the manifest says of an entry, under the names that people look for beside a span.
Json arguments_of(int64_t id, const Names::PlanEntry *entry) {
  Json arguments = {{"plan_entry", id}};
  Json json = entry ? Json::parse(entry->json, nullptr, /*allow_exceptions=*/false) : Json();
  if (!json.is_object())
    return arguments;
  for (const char *key : {"group", "type", "wire", "elements", "bucket", "source"})
    if (json.contains(key) && !(json[key].is_number() && json[key] < 0))
      arguments[key] = json[key];
  if (entry->predicted_seconds >= 0)
    arguments["predicted_us"] = entry->predicted_seconds * 1e6;
  return arguments;
}

class Writer {
public:
  Writer(const Recorder &recorder, const Names &names, const Timeline &timeline,
         const RankIdentity &identity)
      : recorder(recorder), names(names), timeline(timeline), identity(identity) {}

  std::string write() {
    write_metadata();
    write_lane(recorder.compute, compute_thread);
    write_lane(recorder.communication, communication_thread);
    write_counters();
    write_end();
    return std::move(out);
  }

private:
  void add(const std::string &event) {
    if (!out.empty())
      out += ",\n";
    out += event;
  }

  void write_metadata() {
    auto say = [&](const char *what, int thread, const char *key, const Json &value) {
      add(dump({{"ph", "M"},
                {"name", what},
                {"pid", identity.rank},
                {"tid", thread},
                {"args", {{key, value}}}}));
    };
    say("process_name", 0, "name", identity.name);
    say("process_sort_index", 0, "sort_index", identity.rank);
    if (!identity.label.empty())
      say("process_labels", 0, "labels", identity.label);
    say("thread_name", compute_thread, "name", "compute");
    say("thread_sort_index", compute_thread, "sort_index", int(compute_thread));
    if (recorder.communication.size() == 0)
      return;
    say("thread_name", communication_thread, "name", "communication");
    say("thread_sort_index", communication_thread, "sort_index", int(communication_thread));
  }

  /// Outer spans first: they began earlier or, if at once, ended later and so were added later.
  static std::vector<const Span *> in_order(const Lane &lane) {
    std::vector<const Span *> spans;
    for (size_t i = lane.size(); i-- > 0;)
      spans.push_back(&lane[i]);
    std::stable_sort(spans.begin(), spans.end(),
                     [](const Span *a, const Span *b) { return a->begin < b->begin; });
    return spans;
  }

  void write_lane(const Lane &lane, Thread thread) {
    for (const Span *span : in_order(lane)) {
      write_span(*span, thread);
      write_flow(*span, thread);
      if (span->kind == Kind::collective)
        payloads.push_back({timeline.nanoseconds_of(span->end), span->bytes});
    }
  }

  void write_span(const Span &span, Thread thread) {
    int64_t begin = timeline.nanoseconds_of(span.begin);
    int64_t duration = timeline.nanoseconds_of(span.end) - begin;
    add(text(R"({"ph":"X","pid":)", identity.rank, R"(,"tid":)", int(thread), R"(,"ts":)",
             microseconds(begin), R"(,"dur":)", microseconds(duration), R"(,"cat":")",
             category(span), R"(","name":)", dump(name_of(span)), R"(,"args":)",
             arguments(span, duration), "}"));
  }

  static const char *category(const Span &span) {
    switch (span.kind) {
    case Kind::step:
      return "step";
    case Kind::phase:
      return "phase";
    case Kind::kernel:
      return "kernel";
    case Kind::collective:
      return "collective";
    case Kind::start:
    case Kind::await:
      return "async";
    }
    return "";
  }

  std::string name_of(const Span &span) {
    switch (span.kind) {
    case Kind::step:
      return text("step ", span.step + 1);
    case Kind::phase:
      return span.name;
    case Kind::kernel:
      return kernel_name(span);
    case Kind::collective:
      return entry_name(span);
    case Kind::start:
      open_futures[span.future].push_back(&span);
      return "start " + entry_name(span);
    case Kind::await:
      return "await " + awaited_name(span.future);
    }
    return "";
  }

  /// "convolution"
  static std::string plain_name(const Span &span) {
    constexpr const char prefix[] = "tutti_";
    bool has_prefix = std::strncmp(span.name, prefix, sizeof prefix - 1) == 0;
    return span.name + (has_prefix ? sizeof prefix - 1 : 0);
  }

  /// What a kernel says that computes a gradient for one of several operands, where its location
  /// does not.
  static NodePart part_of(const Span &span) {
    NodePart node = node_of(span);
    if (node.part != "backward")
      return node;
    std::string name = plain_name(span);
    auto ends_with = [&](const std::string &end) {
      return name.size() > end.size() && name.compare(name.size() - end.size(), end.npos, end) == 0;
    };
    node.part += ends_with("_backward_data")      ? ", input"
                 : ends_with("_backward_weights") ? ", weights"
                                                  : "";
    return node;
  }

  /// "convolution of conv1"; of its gradient "convolution of conv1, backward, weights"
  static std::string kernel_name(const Span &span) {
    std::string name = plain_name(span);
    NodePart node = part_of(span);
    if (!node.part.empty()) // which says it
      name = name.substr(0, name.find("_backward"));
    if (!node.name.empty())
      name += " of " + node.name;
    return node.part.empty() ? name : name + ", " + node.part;
  }

  static NodePart node_of(const Span &span) {
    return span.parameters ? node_part(span.parameters + span.parameter_count) : NodePart();
  }

  const Names::PlanEntry *entry_of(const Span &span) const {
    auto entry = names.plan.find(span.plan_entry);
    return entry == names.plan.end() ? nullptr : &entry->second;
  }

  /// What is in no plan is the host's own.
  std::string entry_name(const Span &span) const {
    const Names::PlanEntry *entry = entry_of(span);
    return entry ? entry->name : span.name;
  }

  std::string awaited_name(int64_t future) {
    const std::vector<const Span *> &starts = open_futures[future];
    if (starts.empty())
      return text("future ", future);
    std::string more = starts.size() > 1 ? text(" and ", starts.size() - 1, " more") : "";
    return entry_name(*starts.front()) + more;
  }

  /// The text of an object. Parts that many spans share are made once.
  std::string arguments(const Span &span, int64_t duration) {
    std::string step = span.step < 0 ? "" : text(R"("step":)", span.step + 1);
    if (span.kind == Kind::kernel)
      return joined(kernel_arguments(span), step);
    if (span.kind != Kind::collective && span.kind != Kind::start)
      return joined("{}", step);
    std::string own = text(R"("bytes":)", span.bytes);
    if (span.kind == Kind::collective)
      own += R"(,"measured_us":)" + microseconds(duration);
    return joined(joined(plan_arguments(span), own), step);
  }

  /// `object` with `fields` at its end.
  static std::string joined(std::string object, const std::string &fields) {
    if (fields.empty())
      return object;
    object.pop_back();
    return object + (object.size() > 1 ? "," : "") + fields + "}";
  }

  const std::string &plan_arguments(const Span &span) {
    std::string &made = made_arguments[span.plan_entry];
    if (made.empty())
      made = dump(arguments_of(span.plan_entry, entry_of(span)));
    return made;
  }

  static std::string kernel_arguments(const Span &span) {
    Json arguments = Json::object();
    NodePart node = part_of(span);
    if (!node.name.empty())
      arguments["node"] = node.name;
    if (!node.part.empty())
      arguments["part"] = node.part, arguments["kernel"] = plain_name(span);
    if (span.parameters)
      arguments["parameters"] =
          std::vector<int64_t>(span.parameters, span.parameters + span.parameter_count);
    return dump(arguments);
  }

  /// An arrow from the start of a collective through the communication thread to its await.
  void write_flow(const Span &span, Thread thread) {
    if (span.kind == Kind::start && span.ordinal > 0)
      write_flow_point('s', span.ordinal, span.begin, thread);
    if (span.kind == Kind::collective && span.ordinal > 0)
      write_flow_point('t', span.ordinal, span.begin, thread);
    if (span.kind != Kind::await)
      return;
    for (const Span *start : open_futures[span.future])
      write_flow_point('f', start->ordinal, span.end, thread);
    open_futures.erase(span.future);
  }

  void write_flow_point(char phase, uint64_t ordinal, uint64_t ticks, Thread thread) {
    add(text(R"({"ph":")", phase, R"(","id":)", (uint64_t(identity.rank) << 32) + ordinal,
             R"(,"pid":)", identity.rank, R"(,"tid":)", int(thread), R"(,"ts":)",
             microseconds(timeline.nanoseconds_of(ticks)),
             R"(,"bp":"e","cat":"async","name":"collective"})"));
  }

  void write_counters() {
    std::stable_sort(payloads.begin(), payloads.end());
    int64_t total = 0;
    for (auto [time, bytes] : payloads)
      add(text(R"({"ph":"C","pid":)", identity.rank, R"(,"tid":0,"ts":)", microseconds(time),
               R"(,"name":"bytes moved","args":{"payload":)", total += bytes, "}}"));
  }

  /// Says if the trace is not whole.
  void write_end() {
    uint64_t lost = recorder.compute.lost_spans() + recorder.communication.lost_spans();
    std::string problem;
    if (recorder.first_left_out() >= 0)
      problem = text("the trace is full: nothing is recorded from step ",
                     recorder.first_left_out() + 1, " on");
    else if (lost > 0)
      problem = text("the trace is full: ", lost, " spans are not in it");
    if (!problem.empty())
      add(text(R"({"ph":"i","s":"p","pid":)", identity.rank, R"(,"tid":0,"ts":)",
               microseconds(timeline.nanoseconds_of(timeline.end.ticks)), R"(,"name":)",
               dump(problem), "}"));
  }

  const Recorder &recorder;
  const Names &names;
  const Timeline &timeline;
  const RankIdentity &identity;
  std::string out;
  std::map<int64_t, std::string> made_arguments;             ///< by plan entry
  std::map<int64_t, std::vector<const Span *>> open_futures; ///< started, not awaited
  std::vector<std::pair<int64_t, int64_t>> payloads;         ///< time of the end, bytes
};

} // namespace

std::string events_of_start(const std::vector<StartSpan> &spans, int64_t origin, int64_t process,
                            const std::string &name) {
  std::string out;
  auto add = [&](const std::string &event) { out += (out.empty() ? "" : ",\n") + event; };
  if (!name.empty()) {
    add(dump({{"ph", "M"},
              {"name", "process_name"},
              {"pid", process},
              {"tid", 0},
              {"args", {{"name", name}}}}));
    add(dump({{"ph", "M"},
              {"name", "process_sort_index"},
              {"pid", process},
              {"tid", 0},
              {"args", {{"sort_index", -1}}}}));
    add(dump({{"ph", "M"},
              {"name", "thread_name"},
              {"pid", process},
              {"tid", 0},
              {"args", {{"name", "start"}}}}));
  }
  for (const StartSpan &span : spans)
    add(text(R"({"ph":"X","pid":)", process, R"(,"tid":0,"ts":)", microseconds(span.begin - origin),
             R"(,"dur":)", microseconds(span.end - span.begin), R"(,"cat":"start","name":)",
             dump(span.name), R"(,"args":{}})"));
  return out;
}

std::string events_of(const Recorder &recorder, const Names &names, const Timeline &timeline,
                      const RankIdentity &identity) {
  return Writer(recorder, names, timeline, identity).write();
}

} // namespace tutti::runtime::trace
