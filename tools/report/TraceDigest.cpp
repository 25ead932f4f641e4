// From spans to the few numbers and the one step that a page has room for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/report/TraceDigest.h"

#include "runtime/engine/trace/analysis/CriticalPath.h"
#include "tutti/status.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <vector>

using namespace tutti;
using nlohmann::json;
namespace analysis = runtime::trace::analysis;
using analysis::Trace;
using Span = analysis::ReadSpan;

namespace {

/// Spans that are looked at, of all ranks together; of a longer trace the first.
constexpr size_t mostSpans = 2'000'000;
constexpr size_t mostKernels = 25, mostCollectives = 200;
/// Of the timeline.
constexpr size_t mostRanks = 16, mostDrawn = 4000, mostStart = 400;

/// Kernels, collectives: what has one name or number.
struct Sum {
  std::string name;
  int64_t calls = 0, bytes = 0;
  double total = 0, longest = 0, waiting = 0, predicted = -1;

  void add(const Span &span) {
    name = span.name;
    ++calls;
    total += span.length;
    longest = std::max(longest, span.length);
    waiting += span.waiting;
    bytes = span.bytes;
    predicted = span.predicted;
  }
};

} // namespace

static runtime::Result<Trace> readTrace(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line.find("\"traceEvents\"") == line.npos)
    return runtime::Error::make(TUTTI_INVALID_ARGUMENT, "'", path,
                                "' is no trace of dist-run: its first line has no \"traceEvents\"");
  analysis::Reader reader(mostSpans);
  for (line += "\n"; !line.empty(); line = std::getline(file, line) ? line + "\n" : "")
    reader.add(line.data(), line.size());
  return runtime::Result<Trace>(reader.finish());
}

/// Communication is what the compute thread, lane 0, spends in collectives, or in starting and
/// awaiting them.
static bool isExposed(const Span &span) {
  return span.lane == 0 && (span.kind == "collective" || span.kind == "async");
}

static json describeSplit(const Trace &trace) {
  struct Parts {
    double whole = 0, run = 0, kernels = 0, communication = 0, waiting = 0, data = 0;
  };
  std::vector<Parts> parts(size_t(trace.ranks));
  for (const Span &span : trace.spans) {
    if (!trace.steps.count(span.step) || span.lane != 0)
      continue;
    Parts &own = parts[size_t(span.rank)];
    if (span.kind == "step")
      own.whole += span.length;
    else if (span.name == "load data")
      own.data += span.length;
    else if (span.name == "run @step")
      own.run += span.length;
    else if (span.kind == "kernel")
      own.kernels += span.length;
    else if (isExposed(span))
      own.communication += span.length - span.waiting, own.waiting += span.waiting;
  }
  json split = json::array();
  double steps = double(trace.steps.size());
  for (size_t rank = 0; rank < parts.size(); ++rank) {
    const Parts &own = parts[rank];
    double loops = own.run - own.kernels - own.communication - own.waiting;
    split.push_back({{"rank", rank},
                     {"whole", own.whole / steps},
                     {"kernels", own.kernels / steps},
                     {"loops", std::max(0.0, loops) / steps},
                     {"communication", own.communication / steps},
                     {"waiting", own.waiting / steps},
                     {"data", own.data / steps},
                     {"other", std::max(0.0, own.whole - own.run - own.data) / steps}});
  }
  return split;
}

static json describeSum(const Sum &sum, double ofSteps) {
  json told = {{"name", sum.name},
               {"calls", double(sum.calls) / ofSteps},
               {"total", sum.total / ofSteps},
               {"mean", sum.total / double(sum.calls)},
               {"longest", sum.longest},
               {"waiting", sum.waiting / double(sum.calls)},
               {"bytes", sum.bytes}};
  if (sum.predicted >= 0)
    told["predicted"] = sum.predicted;
  return told;
}

/// Means of a rank and step.
static void describeSums(const Trace &trace, json &digest) {
  std::map<std::string, Sum> kernels;
  std::map<int64_t, Sum> collectives;
  for (const Span &span : trace.spans) {
    if (!trace.steps.count(span.step))
      continue;
    if (span.kind == "kernel")
      kernels[span.name].add(span);
    else if (span.kind == "collective")
      collectives[span.entry].add(span);
  }
  double ofSteps = double(trace.steps.size()) * double(trace.ranks);
  std::vector<Sum> longest;
  for (auto &[name, sum] : kernels)
    longest.push_back(sum);
  std::stable_sort(longest.begin(), longest.end(),
                   [](const Sum &a, const Sum &b) { return a.total > b.total; });
  digest["kernels"] = digest["collectives"] = json::array();
  for (size_t i = 0; i < std::min(longest.size(), mostKernels); ++i)
    digest["kernels"].push_back(describeSum(longest[i], ofSteps));
  digest["kernels_left_out"] = longest.size() - digest["kernels"].size();
  for (const auto &[entry, sum] : collectives)
    if (digest["collectives"].size() < mostCollectives) {
      digest["collectives"].push_back(describeSum(sum, ofSteps));
      digest["collectives"].back()["entry"] = entry;
    }
}

static const Span *findMedianStep(const Trace &trace) {
  std::vector<const Span *> slowest;
  for (const auto &[step, ranks] : trace.steps) {
    const Span *found = ranks.begin()->second;
    for (const auto &[rank, span] : ranks)
      if (span->length > found->length)
        found = span;
    slowest.push_back(found);
  }
  auto middle = slowest.begin() + std::ptrdiff_t((slowest.size() - 1) / 2);
  std::nth_element(slowest.begin(), middle, slowest.end(),
                   [](const Span *a, const Span *b) { return a->length < b->length; });
  return *middle;
}

/// [rank, kind, name, begin, length] of what came before the first step, with begins from that of
/// the first one; a rank of -1 is the launcher's.
static json describeStart(const Trace &trace) {
  json start = json::array();
  if (trace.start.empty())
    return start;
  double begin = trace.start.front().begin;
  for (const analysis::OuterSpan &span : trace.start)
    begin = std::min(begin, span.begin);
  for (const analysis::OuterSpan &span : trace.start)
    if (span.rank < int64_t(mostRanks) && start.size() < mostStart)
      start.push_back({span.rank, span.kind, span.name, span.begin - begin, span.length});
  return start;
}

/// "step", "length", "names", "spans": [rank, lane, kind, index of the name, begin, length,
/// waiting] with begins from that of the first rank; "ranks": how many are shown, "left_out": how
/// many spans, the shortest, are not.
static json describeTimeline(const Trace &trace) {
  const Span *median = findMedianStep(trace);
  const auto &ranks = trace.steps.at(median->step);
  double begin = median->begin, end = 0;
  for (const auto &[rank, span] : ranks)
    begin = std::min(begin, span->begin), end = std::max(end, span->begin + span->length);
  std::vector<const Span *> drawn;
  for (const Span &span : trace.spans)
    if (span.step == median->step && span.rank < int64_t(mostRanks) && span.kind != "step")
      drawn.push_back(&span);
  size_t leftOut = drawn.size() - std::min(drawn.size(), mostDrawn);
  if (leftOut > 0) {
    std::stable_sort(drawn.begin(), drawn.end(),
                     [](const Span *a, const Span *b) { return a->length > b->length; });
    drawn.resize(mostDrawn);
  }
  std::map<std::string, size_t> numbers;
  json names = json::array(), spans = json::array();
  for (const Span *span : drawn) {
    auto [place, isNew] = numbers.insert({span->name, numbers.size()});
    if (isNew)
      names.push_back(span->name);
    spans.push_back({span->rank, span->lane, span->kind, place->second, span->begin - begin,
                     span->length, span->waiting});
  }
  return {{"step", median->step},
          {"length", end - begin},
          {"names", names},
          {"spans", spans},
          {"left_out", leftOut},
          {"ranks", std::min(ranks.size(), mostRanks)},
          {"path", analysis::describe_critical_path(trace, median->step, begin)}};
}

runtime::Result<json> report::digestTrace(const std::string &path) {
  runtime::Result<Trace> trace = readTrace(path);
  if (!trace)
    return trace.error();
  if (trace->steps.empty())
    return json();
  json digest = {
      {"steps", trace->steps.size()},         {"first", trace->steps.begin()->first},
      {"last", trace->steps.rbegin()->first}, {"is_cut", trace->is_cut},
      {"split", describeSplit(*trace)},       {"start", describeStart(*trace)},
      {"timeline", describeTimeline(*trace)}, {"late", analysis::describe_lateness(*trace)}};
  describeSums(*trace, digest);
  return digest;
}
