// Admission and eviction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/RowLives.h"

#include <algorithm>

namespace tutti::runtime::servers {

Result<RowLives> RowLives::make(int64_t rows, const RowRules &rules) {
  if (rules.admit_after < 1 || rules.admit_after > RowRules::most_pushes || rules.evict_after < 0 ||
      rules.evict_after > RowRules::most_steps)
    return Error::make(TUTTI_INVALID_ARGUMENT, "rows are kept from push 1 to ",
                       RowRules::most_pushes, " on, and for 1 to ", RowRules::most_steps,
                       " steps; not from push ", rules.admit_after, " on for ", rules.evict_after);
  RowLives lives;
  lives.rules = rules;
  auto kept = LazyBits::make(rows);
  auto pushes = LazyArray<uint16_t>::make(rules.admit_after > 1 ? rows : 0);
  auto last = LazyArray<uint32_t>::make(rules.evict_after > 0 ? rows : 0);
  for (const Error &error : {kept.error(), pushes.error(), last.error()})
    if (error)
      return error;
  lives.kept = std::move(*kept);
  lives.pushes = std::move(*pushes);
  lives.last = std::move(*last);
  return lives;
}

void RowLives::drop(int64_t row) {
  kept.reset(row);
  dropped.push_back(row);
  --kept_count;
  ++evicted_count;
}

RowLives::Admission RowLives::push(int64_t row, int64_t step) {
  if (kept[row] && rules.evict_after > 0 && is_over(row, step))
    drop(row);
  Admission admission = kept[row] ? Admission::known : Admission::fresh;
  if (admission == Admission::fresh && rules.admit_after > 1 && ++pushes[row] < rules.admit_after)
    return Admission::counted;
  if (rules.evict_after > 0)
    last[row] = uint32_t(step);
  if (admission == Admission::known)
    return admission;
  if (rules.admit_after > 1)
    pushes[row] = 0; // it counts anew should the row be evicted
  kept.set(row);
  ++kept_count;
  ++admitted_count;
  return admission;
}

int64_t RowLives::life(int64_t row) const {
  if (!kept[row])
    return rules.admit_after > 1 ? -int64_t(pushes[row]) : 0;
  return rules.evict_after > 0 ? int64_t(last[row]) : 0;
}

Result<LazyBits> RowLives::alive(int64_t step) const {
  Result<LazyBits> found = kept.copy();
  for (int64_t row = 0; found && has_rules() && row < kept.size(); ++row) {
    bool is_counted = rules.admit_after > 1 && pushes[row] > 0;
    if (is_counted)
      found->set(row);
    else if (kept[row] && !has(row, step))
      found->reset(row);
  }
  return found;
}

int64_t RowLives::carry(std::optional<int64_t> told, const RowRules &saved, const RowRules &now,
                        int64_t step) {
  int64_t just_pushed = uint32_t(step - 1);
  if (!told)
    return just_pushed;
  if (*told < 0)
    return *told;
  uint32_t age = uint32_t(step) - uint32_t(*told);
  bool is_ahead = age > uint32_t(RowRules::most_steps); // of other workers, which are not here
  bool ends_by_change = saved != now && now.evict_after > 0 && age > uint32_t(now.evict_after);
  return saved.evict_after == 0 || is_ahead || ends_by_change ? just_pushed : *told;
}

bool RowLives::restore(int64_t row, int64_t life) {
  if (life < 0 && rules.admit_after > 1)
    pushes[row] = uint16_t(std::min(-life, rules.admit_after - 1));
  if (life < 0)
    return false;
  if (rules.evict_after > 0)
    last[row] = uint32_t(life);
  kept.set(row);
  ++kept_count;
  return true;
}

Error RowLives::clear() {
  Result<RowLives> fresh = make(kept.size(), rules);
  if (!fresh)
    return fresh.error();
  *this = std::move(*fresh);
  return Error::success();
}

void RowLives::end_step(int64_t step, std::vector<int64_t> &out_gone) {
  if (rules.evict_after > 0) {
    int64_t end = std::min(kept.size(), next + kept.size() / rules.evict_after + 1);
    for (int64_t row = kept.find(next, end); row < end; row = kept.find(row + 1, end))
      if (is_over(row, step + 1))
        drop(row);
    next = end == kept.size() ? 0 : end;
  }
  for (int64_t row : dropped)
    if (!kept[row])
      out_gone.push_back(row);
  dropped.clear();
}

} // namespace tutti::runtime::servers
