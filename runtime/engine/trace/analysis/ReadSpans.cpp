// From events to spans, and which of them met.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/trace/analysis/ReadSpans.h"

#include "runtime/engine/trace/SpanWriter.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

namespace tutti::runtime::trace::analysis {

using nlohmann::json;

static bool is_number(const json &event, const char *key) {
  return event.contains(key) && event[key].is_number();
}

/// Whether an event is a complete one, of the form that all of ours have.
static bool is_span(const json &event) {
  return event.is_object() && event.value("ph", json()) == "X" && is_number(event, "ts") &&
         is_number(event, "dur") && is_number(event, "pid") && is_number(event, "tid") &&
         event.value("name", json()).is_string() && event.value("cat", json()).is_string() &&
         event.value("args", json::object()).is_object();
}

static ReadSpan span_of(const json &event, const json &details) {
  auto number = [&](const char *key, double absent) {
    return is_number(details, key) ? details[key].get<double>() : absent;
  };
  return {event["pid"],
          event["tid"],
          details["step"],
          int64_t(number("plan_entry", -1)),
          event["cat"],
          event["name"],
          event["ts"],
          event["dur"],
          number("predicted_us", -1),
          int64_t(number("bytes", 0)),
          details.value("group", json()).is_string() ? details["group"].get<std::string>() : ""};
}

void Reader::add(const char *text, size_t bytes) {
  for (const char *end = text + bytes; text < end;) {
    const char *stop = std::find(text, end, '\n');
    line.append(text, stop);
    if (stop == end)
      return;
    take_line();
    text = stop + 1;
  }
}

void Reader::take_line() {
  std::string taken;
  std::swap(taken, line);
  if (trace.is_cut || taken.rfind("{\"ph\":\"X\"", 0) != 0)
    return;
  if (taken.back() == ',')
    taken.pop_back();
  json event = json::parse(taken, nullptr, /*allow_exceptions=*/false);
  if (!is_span(event))
    return;
  std::string kind = event["cat"];
  int64_t process = event["pid"];
  if (process >= launcher_process || kind == "start") {
    if (kind == "start")
      trace.start.push_back({process >= launcher_process ? -1 : process, kind, event["name"],
                             event["ts"], event["dur"]});
    return;
  }
  json details = event.value("args", json::object());
  if (is_number(details, "step")) {
    trace.spans.push_back(span_of(event, details));
    trace.ranks = std::max(trace.ranks, process + 1);
  } else if (kind == "phase" || kind == "collective") {
    trace.start.push_back({process, kind, event["name"], event["ts"], event["dur"]});
  }
  trace.is_cut = trace.spans.size() + trace.start.size() >= most_spans;
}

static void find_waiting(Trace &trace) {
  using Place = std::tuple<int64_t, int64_t, int64_t>;
  std::map<Place, int64_t> calls;
  std::map<Place, std::vector<ReadSpan *>> meetings;
  for (ReadSpan &span : trace.spans)
    if (span.kind == "collective") {
      int64_t call = calls[{span.step, span.entry, span.rank}]++;
      meetings[{span.step, span.entry, call}].push_back(&span);
    }
  for (auto &[place, spans] : meetings) {
    double least = spans.front()->length;
    for (ReadSpan *span : spans)
      least = std::min(least, span->length);
    const ReadSpan *last =
        *std::max_element(spans.begin(), spans.end(), [](ReadSpan *a, ReadSpan *b) {
          return std::make_tuple(a->begin, b->rank) < std::make_tuple(b->begin, a->rank);
        });
    bool is_of_all =
        int64_t(spans.size()) == trace.ranks && trace.ranks > 1 && last->group == "world";
    for (ReadSpan *span : spans) {
      span->waiting = span->length - least;
      span->last = is_of_all ? last : nullptr;
    }
  }
}

/// What is outside of steps, but after the first one of its rank, is no part of the start.
static void keep_start(Trace &trace) {
  std::map<int64_t, double> firsts;
  for (const ReadSpan &span : trace.spans) {
    auto [first, is_new] = firsts.insert({span.rank, span.begin});
    first->second = std::min(first->second, span.begin);
  }
  auto is_later = [&](const OuterSpan &span) {
    auto first = firsts.find(span.rank);
    return span.kind != "start" && first != firsts.end() && span.begin >= first->second;
  };
  trace.start.erase(std::remove_if(trace.start.begin(), trace.start.end(), is_later),
                    trace.start.end());
}

Trace Reader::finish() {
  if (!line.empty())
    take_line();
  for (const ReadSpan &span : trace.spans) {
    trace.spans_of[span.step].push_back(&span);
    if (span.kind == "step")
      trace.steps[span.step][span.rank] = &span;
  }
  for (auto step = trace.steps.begin(); step != trace.steps.end();)
    step = int64_t(step->second.size()) == trace.ranks ? std::next(step) : trace.steps.erase(step);
  find_waiting(trace);
  keep_start(trace);
  return std::move(trace);
}

} // namespace tutti::runtime::trace::analysis
