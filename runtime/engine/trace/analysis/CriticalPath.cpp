// The walk from the end of a step to its begin, across ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/trace/analysis/CriticalPath.h"

#include "runtime/engine/trace/SpanWriter.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string_view>
#include <tuple>

namespace tutti::runtime::trace::analysis {

using nlohmann::json;

json describe_lateness(const Trace &trace) {
  std::vector<int64_t> last(size_t(trace.ranks));
  std::vector<double> cost(size_t(trace.ranks));
  int64_t meetings = 0;
  for (const ReadSpan &span : trace.spans) {
    if (!span.last)
      continue;
    auto late = size_t(span.last->rank);
    if (&span == span.last)
      ++meetings, ++last[late];
    else
      cost[late] += std::max(0.0, std::min(span.last->begin, span.end()) - span.begin) /
                    double(trace.ranks - 1);
  }
  if (meetings == 0)
    return json();
  json ranks = json::array();
  for (size_t rank = 0; rank < last.size(); ++rank)
    ranks.push_back({{"rank", rank}, {"last", last[rank]}, {"cost", cost[rank]}});
  return {{"collectives", meetings}, {"ranks", ranks}};
}

std::string spell_lateness(const json &lateness) {
  if (lateness.is_null())
    return "";
  const json *most = &lateness["ranks"].front();
  for (const json &rank : lateness["ranks"])
    if (rank["cost"].get<double>() > (*most)["cost"].get<double>())
      most = &rank;
  char milliseconds[32];
  std::snprintf(milliseconds, sizeof milliseconds, "%.3g", (*most)["cost"].get<double>() / 1000);
  return "rank " + (*most)["rank"].dump() + " was last in " + (*most)["last"].dump() + " of " +
         lateness["collectives"].dump() + " collectives; the others waited " + milliseconds +
         " ms for it";
}

namespace {

constexpr std::string_view await_prefix = "await ";

/// "await all_reduce of x", on the thread that computes.
bool is_await(const ReadSpan &span) {
  return span.kind == "async" && span.name.rfind(await_prefix, 0) == 0;
}

class Walk {
public:
  Walk(const Trace &trace, int64_t step) : steps(trace.steps.at(step)) {
    for (const ReadSpan *span : trace.spans_of.at(step))
      lanes[{span->rank, span->lane}].push_back(span);
    for (auto &[key, spans] : lanes)
      std::stable_sort(spans.begin(), spans.end(),
                       [](const ReadSpan *a, const ReadSpan *b) { return a->end() < b->end(); });
  }

  /// Pieces as of describe_critical_path, the last one first.
  json pieces(double from) {
    origin = from;
    const ReadSpan *slowest = steps.begin()->second;
    for (const auto &[rank, span] : steps)
      if (span->end() > slowest->end())
        slowest = span;
    rank = slowest->rank, now = slowest->end();
    while (go_back())
      ;
    double begin = steps.at(rank)->begin;
    compute(begin, now);
    add(rank, "before", "this rank began the step later", from, std::min(now, begin));
    return std::move(path);
  }

private:
  /// To what the rank waited for last before `now`. Each call comes to an earlier time.
  bool go_back() {
    double begin = steps.at(rank)->begin, before = now;
    const ReadSpan *blocking = find_blocking();
    double computed = blocking ? std::max(begin, blocking->end()) : begin;
    compute(computed, now);
    now = computed;
    if (!blocking || computed <= begin)
      return false;
    const ReadSpan *met = is_await(*blocking) ? find_awaited(*blocking) : blocking;
    if (met && met->end() > blocking->begin) {
      pass_collective(*met, blocking->end());
    } else { // it was over before anybody waited
      add(rank, "communication", blocking->name, blocking->begin, now);
      now = blocking->begin;
    }
    return now < before;
  }

  /// The last thing on the compute thread that waits, and ended by `now`.
  const ReadSpan *find_blocking() const {
    return find_last(
        rank, 0, [](const ReadSpan &span) { return span.kind == "collective" || is_await(span); });
  }

  /// What runs beside computation ends before its await.
  const ReadSpan *find_awaited(const ReadSpan &await) const {
    std::string wanted = await.name.substr(await_prefix.size());
    return find_last(rank, 1, [&](const ReadSpan &span) {
      return span.kind == "collective" && wanted.compare(0, span.name.size(), span.name) == 0;
    });
  }

  template <typename Condition>
  const ReadSpan *find_last(int64_t of_rank, int64_t lane, Condition condition) const {
    auto found = lanes.find({of_rank, lane});
    if (found == lanes.end())
      return nullptr;
    for (auto span = found->second.rbegin(); span != found->second.rend(); ++span)
      if ((*span)->end() <= now && condition(**span))
        return *span;
    return nullptr;
  }

  /// A collective takes as long as it does once its last rank is there. Before it, what that rank
  /// did.
  void pass_collective(const ReadSpan &met, double end) {
    const ReadSpan &last = met.last ? *met.last : met;
    double begin = std::min(last.begin, end);
    add(last.rank, "communication", met.name, begin, end);
    rank = last.rank, now = begin;
    if (last.lane == 0)
      return;
    const ReadSpan *previous =
        find_last(rank, 1, [](const ReadSpan &span) { return span.kind == "collective"; });
    const ReadSpan *start =
        find_last(rank, 0, [&](const ReadSpan &span) { return span.name == "start " + last.name; });
    if (begin < end && previous && start && previous->end() > start->end() && previous->begin < now)
      pass_collective(*previous, now); // the thread was busy with it
    else if (start && start->begin < now) {
      add(rank, "communication", start->name, start->begin, now); // until the thread began
      now = start->begin;
    }
  }

  /// Computation between two times, by its longest kernel.
  void compute(double begin, double end) {
    if (end <= begin)
      return;
    const ReadSpan *longest = nullptr;
    int64_t kernels = 0;
    bool is_data = false;
    for (const ReadSpan *span : lanes[{rank, 0}]) {
      double within = std::min(end, span->end()) - std::max(begin, span->begin);
      if (within <= 0)
        continue;
      is_data |= span->name == "load data" && within > (end - begin) / 2;
      if (span->kind != "kernel")
        continue;
      ++kernels;
      if (!longest || span->length > longest->length)
        longest = span;
    }
    std::string more = kernels > 1 ? " and " + std::to_string(kernels - 1) +
                                         (kernels > 2 ? " more kernels" : " more kernel")
                                   : "";
    add(rank, is_data ? "data" : "computation",
        is_data   ? "load data"
        : longest ? longest->name + more
                  : "fused loops",
        begin, end);
  }

  void add(int64_t of_rank, const char *kind, const std::string &name, double begin, double end) {
    if (end > begin)
      path.push_back({of_rank, kind, name, begin - origin, end - begin});
  }

  const std::map<int64_t, const ReadSpan *> &steps;
  std::map<std::pair<int64_t, int64_t>, std::vector<const ReadSpan *>> lanes; ///< by end
  json path = json::array();
  double origin = 0, now = 0;
  int64_t rank = 0;
};

} // namespace

json describe_critical_path(const Trace &trace, int64_t step, double begin) {
  json path = Walk(trace, step).pieces(begin);
  std::reverse(path.begin(), path.end());
  return path;
}

namespace {

class PathWriter {
public:
  explicit PathWriter(const Trace &trace) : trace(trace) {}

  std::string write() {
    if (trace.steps.empty())
      return "";
    name("process_name", 0, {{"name", "critical path"}});
    name("process_sort_index", 0, {{"sort_index", path_process}});
    name("thread_name", 0, {{"name", "what each step waited for"}});
    for (const auto &[step, ranks] : trace.steps)
      write_path(step, ranks);
    if (trace.ranks > 1)
      write_lateness();
    return std::move(out);
  }

private:
  void add(const json &event) {
    out += (out.empty() ? "" : ",\n") + event.dump(-1, ' ', false, json::error_handler_t::replace);
  }

  void name(const char *what, int thread, const json &arguments) {
    add({{"ph", "M"}, {"name", what}, {"pid", path_process}, {"tid", thread}, {"args", arguments}});
  }

  void span(int thread, const char *kind, const std::string &text, double begin, double length,
            json arguments) {
    add({{"ph", "X"},
         {"pid", path_process},
         {"tid", thread},
         {"ts", begin},
         {"dur", length},
         {"cat", kind},
         {"name", text},
         {"args", std::move(arguments)}});
  }

  /// One path after the other: what ranks do in a step while others end the one before is left out.
  void write_path(int64_t step, const std::map<int64_t, const ReadSpan *> &ranks) {
    double origin = ranks.begin()->second->begin;
    for (const auto &[rank, one] : ranks)
      origin = std::min(origin, one->begin);
    for (const json &piece : describe_critical_path(trace, step, origin)) {
      double begin = origin + piece[3].get<double>(), end = begin + piece[4].get<double>();
      begin = std::max(begin, path_end);
      if (end <= begin)
        continue;
      span(0, "path", "rank " + piece[0].dump() + ": " + piece[2].get<std::string>(), begin,
           end - begin, {{"rank", piece[0]}, {"part", piece[1]}, {"step", step}});
      path_end = end;
    }
  }

  /// From when the first rank is in a collective until the last one is. What of it lies before the
  /// end of the one before it is left out, so that spans of the thread do not overlap.
  void write_lateness() {
    std::map<const ReadSpan *, double> firsts; // by the last one
    for (const ReadSpan &one : trace.spans)
      if (one.last) {
        auto [first, is_new] = firsts.insert({one.last, one.begin});
        first->second = std::min(first->second, one.begin);
      }
    std::vector<std::pair<double, const ReadSpan *>> meetings;
    for (const auto &[last, first] : firsts)
      meetings.push_back({last->begin, last});
    std::sort(meetings.begin(), meetings.end(), [](const auto &a, const auto &b) {
      return std::tie(a.first, a.second->rank) < std::tie(b.first, b.second->rank);
    });
    if (!meetings.empty())
      name("thread_name", 1, {{"name", "who was late"}});
    double told = meetings.empty() ? 0 : firsts[meetings.front().second];
    for (const auto &[end, last] : meetings) {
      double begin = std::max(told, firsts[last]);
      if (end <= begin)
        continue;
      span(1, "late", "rank " + std::to_string(last->rank) + " was last to " + last->name, begin,
           end - begin, {{"rank", last->rank}, {"step", last->step}});
      told = end;
    }
  }

  const Trace &trace;
  std::string out;
  double path_end = -std::numeric_limits<double>::infinity();
};

} // namespace

std::string events_of_path(const Trace &trace) { return PathWriter(trace).write(); }

} // namespace tutti::runtime::trace::analysis
