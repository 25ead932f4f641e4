// Which rows of a table are kept.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_ROWLIVES_H
#define TUTTI_RUNTIME_SERVERS_ROWLIVES_H

#include "runtime/servers/storage/LazyArray.h"
#include "runtime/servers/storage/RowRules.h"

#include <optional>
#include <vector>

namespace tutti::runtime::servers {

/// A row that is not kept is what it was at first. Steps count from 0 and never go back.
class RowLives {
public:
  static Result<RowLives> make(int64_t rows, const RowRules &rules);

  /// Whether `row` is kept as it is before step `step`.
  bool has(int64_t row, int64_t step) const {
    return kept[row] && (rules.evict_after == 0 || !is_over(row, step));
  }

  /// The caller will ask for `row` soon.
  void prefetch(int64_t row) const {
    kept.prefetch(row);
    if (rules.evict_after > 0)
      __builtin_prefetch(&last[row], 1);
    if (rules.admit_after > 1)
      __builtin_prefetch(&pushes[row], 1);
  }
  enum class Admission { counted, fresh, known };
  /// Step `step` brings a gradient of `row`. It is counted alone, or kept from now on, or known.
  Admission push(int64_t row, int64_t step);

  /// Ends step `step`: appends rows that were kept and are not any more. Those that nobody asks for
  /// are found in `evict_after` steps.
  void end_step(int64_t step, std::vector<int64_t> &out_gone);

  /// What a checkpoint has to say of a row so that its life goes on: the step of its last push
  /// (modulo 2^32, 0 without evict_after) if it is kept, else the number of its pushes, negated.
  int64_t life(int64_t row) const;
  /// The rows that are kept as they are before step `step`, or whose pushes are counted.
  Result<LazyBits> alive(int64_t step) const;
  /// What to restore() a row with before step `step`, of which life() told `told` under the rules
  /// `saved`, where it is to live by `now`. Rows whose last push nobody wrote down, or that would
  /// be over at once only because the rules have changed, count as pushed in the step before.
  static int64_t carry(std::optional<int64_t> told, const RowRules &saved, const RowRules &now,
                       int64_t step);
  /// Gives a row that has none the life that life() told. Whether it is kept now.
  bool restore(int64_t row, int64_t life);
  /// No row is kept, none is counted.
  Error clear();

  const LazyBits &all() const { return kept; }
  int64_t used() const { return kept_count; }
  int64_t admitted() const { return admitted_count; }
  int64_t evicted() const { return evicted_count; }
  bool evicts() const { return rules.evict_after > 0; }
  bool has_rules() const { return rules.admit_after > 1 || rules.evict_after > 0; }

private:
  bool is_over(int64_t row, int64_t step) const {
    return uint32_t(step) - last[row] > uint32_t(rules.evict_after); // also where steps wrap
  }
  void drop(int64_t row);

  RowRules rules;
  LazyBits kept;
  LazyArray<uint16_t> pushes; ///< of rows that are not kept; with admit_after
  LazyArray<uint32_t>
      last; ///< the step of the last push of each row, modulo 2^32; with evict_after
  std::vector<int64_t> dropped; ///< since the last end of a step
  int64_t kept_count = 0, admitted_count = 0, evicted_count = 0;
  int64_t next = 0; ///< the first row that the next end of a step looks at
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_ROWLIVES_H
