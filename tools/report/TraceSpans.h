// The spans of a trace, as its digest looks at them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_REPORT_TRACESPANS_H
#define TUTTI_TOOLS_REPORT_TRACESPANS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tutti::report {

/// Times are microseconds on one axis of all ranks.
struct Span {
  int64_t rank, lane, step, entry;
  std::string kind, name;
  double begin, length, predicted;
  int64_t bytes;
  std::string group = {};
  double waiting = 0;         ///< of a collective, for ranks that came later
  const Span *last = nullptr; ///< of a collective of all ranks: the span of who came last to it

  double end() const { return begin + length; }
};

struct Trace {
  std::vector<Span> spans; ///< of steps alone
  int64_t ranks = 0;
  bool isCut = false;
  std::map<int64_t, std::map<int64_t, const Span *>> steps; ///< by step and rank
};

} // namespace tutti::report

#endif // TUTTI_TOOLS_REPORT_TRACESPANS_H
