// The walk from the end of a step to its begin, across ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/report/CriticalPath.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

using namespace tutti::report;
using nlohmann::json;

json tutti::report::describeLateness(const Trace &trace) {
  std::vector<int64_t> last(size_t(trace.ranks));
  std::vector<double> cost(size_t(trace.ranks));
  int64_t meetings = 0;
  for (const Span &span : trace.spans) {
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

std::string tutti::report::spellLateness(const json &lateness) {
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

constexpr std::string_view kAwait = "await ";

/// "await all_reduce of x", on the thread that computes.
bool isAwait(const Span &span) { return span.kind == "async" && span.name.rfind(kAwait, 0) == 0; }

class Walk {
public:
  Walk(const Trace &trace, int64_t step) : steps(trace.steps.at(step)) {
    for (const Span &span : trace.spans)
      if (span.step == step)
        lanes[{span.rank, span.lane}].push_back(&span);
    for (auto &[key, spans] : lanes)
      std::stable_sort(spans.begin(), spans.end(),
                       [](const Span *a, const Span *b) { return a->end() < b->end(); });
  }

  /// Pieces as of describeCriticalPath, the last one first.
  json pieces(double from) {
    origin = from;
    const Span *slowest = steps.begin()->second;
    for (const auto &[rank, span] : steps)
      if (span->end() > slowest->end())
        slowest = span;
    rank = slowest->rank, now = slowest->end();
    while (goBack())
      ;
    double begin = steps.at(rank)->begin;
    compute(begin, now);
    add(rank, "before", "this rank began the step later", from, std::min(now, begin));
    return std::move(path);
  }

private:
  /// To what the rank waited for last before `now`. Each call comes to an earlier time.
  bool goBack() {
    double begin = steps.at(rank)->begin, before = now;
    const Span *blocking = findBlocking();
    double computed = blocking ? std::max(begin, blocking->end()) : begin;
    compute(computed, now);
    now = computed;
    if (!blocking || computed <= begin)
      return false;
    const Span *met = isAwait(*blocking) ? findAwaited(*blocking) : blocking;
    if (met && met->end() > blocking->begin) {
      passCollective(*met, blocking->end());
    } else { // it was over before anybody waited
      add(rank, "communication", blocking->name, blocking->begin, now);
      now = blocking->begin;
    }
    return now < before;
  }

  /// The last thing on the compute thread that waits, and ended by `now`.
  const Span *findBlocking() const {
    return findLast(rank, 0,
                    [](const Span &span) { return span.kind == "collective" || isAwait(span); });
  }

  /// What runs beside computation ends before its await.
  const Span *findAwaited(const Span &await) const {
    std::string wanted = await.name.substr(kAwait.size());
    return findLast(rank, 1, [&](const Span &span) {
      return span.kind == "collective" && wanted.compare(0, span.name.size(), span.name) == 0;
    });
  }

  template <typename Condition>
  const Span *findLast(int64_t ofRank, int64_t lane, Condition condition) const {
    auto found = lanes.find({ofRank, lane});
    if (found == lanes.end())
      return nullptr;
    for (auto span = found->second.rbegin(); span != found->second.rend(); ++span)
      if ((*span)->end() <= now && condition(**span))
        return *span;
    return nullptr;
  }

  /// A collective takes as long as it does once its last rank is there. Before it, what that rank
  /// did.
  void passCollective(const Span &met, double end) {
    const Span &last = met.last ? *met.last : met;
    double begin = std::min(last.begin, end);
    add(last.rank, "communication", met.name, begin, end);
    rank = last.rank, now = begin;
    if (last.lane == 0)
      return;
    const Span *previous =
        findLast(rank, 1, [](const Span &span) { return span.kind == "collective"; });
    const Span *start =
        findLast(rank, 0, [&](const Span &span) { return span.name == "start " + last.name; });
    if (begin < end && previous && start && previous->end() > start->end() && previous->begin < now)
      passCollective(*previous, now); // the thread was busy with it
    else if (start && start->begin < now) {
      add(rank, "communication", start->name, start->begin, now); // until the thread began
      now = start->begin;
    }
  }

  /// Computation between two times, by its longest kernel.
  void compute(double begin, double end) {
    if (end <= begin)
      return;
    const Span *longest = nullptr;
    int64_t kernels = 0;
    bool isData = false;
    for (const Span *span : lanes[{rank, 0}]) {
      double within = std::min(end, span->end()) - std::max(begin, span->begin);
      if (within <= 0)
        continue;
      isData |= span->name == "load data" && within > (end - begin) / 2;
      if (span->kind != "kernel")
        continue;
      ++kernels;
      if (!longest || span->length > longest->length)
        longest = span;
    }
    std::string more = kernels > 1 ? " and " + std::to_string(kernels - 1) + " more kernels" : "";
    add(rank, isData ? "data" : "computation",
        isData    ? "load data"
        : longest ? longest->name + more
                  : "fused loops",
        begin, end);
  }

  void add(int64_t ofRank, const char *kind, const std::string &name, double begin, double end) {
    if (end > begin)
      path.push_back({ofRank, kind, name, begin - origin, end - begin});
  }

  const std::map<int64_t, const Span *> &steps;
  std::map<std::pair<int64_t, int64_t>, std::vector<const Span *>> lanes; ///< by end
  json path = json::array();
  double origin = 0, now = 0;
  int64_t rank = 0;
};

} // namespace

json tutti::report::describeCriticalPath(const Trace &trace, int64_t step, double begin) {
  json path = Walk(trace, step).pieces(begin);
  std::reverse(path.begin(), path.end());
  return path;
}
