// The spans of a trace, read again from its events.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_TRACE_ANALYSIS_READSPANS_H
#define TUTTI_RUNTIME_ENGINE_TRACE_ANALYSIS_READSPANS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tutti::runtime::trace::analysis {

/// Times are microseconds on one axis of all ranks.
struct ReadSpan {
  int64_t rank, lane, step, entry;
  std::string kind, name;
  double begin, length, predicted;
  int64_t bytes;
  std::string group = {};
  double waiting = 0;             ///< of a collective, for ranks that came later
  const ReadSpan *last = nullptr; ///< of a collective of all ranks: that of who came last to it

  double end() const { return begin + length; }
};

/// What lies before the first step of a rank, or, with a rank of -1, of all of them: kind "start"
/// if that was before there were ranks, else "phase" or "collective".
struct OuterSpan {
  int64_t rank;
  std::string kind, name;
  double begin, length;
};

struct Trace {
  std::vector<ReadSpan> spans; ///< of steps alone
  std::vector<OuterSpan> start;
  int64_t ranks = 0;
  bool is_cut = false;
  /// By step and rank: the spans of whole steps. Steps that some rank has not are not there.
  std::map<int64_t, std::map<int64_t, const ReadSpan *>> steps;
  /// By step: all spans in it.
  std::map<int64_t, std::vector<const ReadSpan *>> spans_of;
};

/// Takes a trace line by line, in pieces of any length.
class Reader {
public:
  /// Of a longer trace the first `most_spans` are looked at.
  explicit Reader(size_t most_spans) : most_spans(most_spans) {}

  void add(const char *text, size_t bytes);
  /// All that was added; ends a last line. Of each collective it says who came last, and how long
  /// the others waited: the rank that is there last spends least time in it. The n-th call of an
  /// entry in a step is the same on all ranks.
  Trace finish();

private:
  void take_line();

  size_t most_spans;
  std::string line;
  Trace trace;
};

} // namespace tutti::runtime::trace::analysis

#endif // TUTTI_RUNTIME_ENGINE_TRACE_ANALYSIS_READSPANS_H
