// Which steps are repeated so that fewer bytes live at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/memory/MemorySchedule.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

namespace tutti::memory {

unsigned MemorySchedule::addBuffer(int64_t bytes, bool isPlanned) {
  buffers.push_back({bytes, isPlanned, unsigned(buffers.size())});
  return buffers.size() - 1;
}

MemoryStep &MemorySchedule::addStep() {
  unsigned number = steps.size();
  steps.emplace_back().origin = number;
  return steps.back();
}

namespace {

constexpr unsigned kNever = std::numeric_limits<unsigned>::max();

/// When a buffer is touched, in order.
struct Touches {
  llvm::SmallVector<unsigned, 4> all, writes;

  bool isEmpty() const { return all.empty(); }
  unsigned first() const { return all.front(); }
  unsigned last() const { return all.back(); }
  /// The steps that made what it holds before `step`.
  llvm::ArrayRef<unsigned> makersBefore(unsigned step) const {
    return llvm::ArrayRef(writes).take_front(llvm::lower_bound(writes, step) - writes.begin());
  }
  /// The first touch at `step` or later; kNever if there is none.
  unsigned next(unsigned step) const {
    auto found = llvm::lower_bound(all, step);
    return found == all.end() ? kNever : *found;
  }
  bool isWrittenBetween(unsigned after, unsigned before) const {
    auto found = llvm::upper_bound(writes, after);
    return found != writes.end() && *found < before;
  }
};

/// When buffers of a schedule are touched, and what lives.
class Usage {
public:
  explicit Usage(const MemorySchedule &schedule) : touches(schedule.buffers.size()) {
    for (auto [moment, step] : llvm::enumerate(schedule.steps)) {
      for (unsigned buffer : step.writes)
        note(touches[buffer].writes, moment);
      for (const auto *list : {&step.reads, &step.writes})
        for (unsigned buffer : *list)
          note(touches[buffer].all, moment);
    }
    sumUp(schedule);
  }

  const Touches &of(unsigned buffer) const { return touches[buffer]; }
  int64_t liveAt(unsigned step) const { return live[step]; }
  unsigned worst() const { return llvm::max_element(live) - live.begin(); }

  /// Less is better, the first of them first.
  struct Need {
    double excess;  ///< bytes above a limit, summed over the moments of steps that are no repeats
    int64_t peak;   ///< the most bytes
    size_t moments; ///< with so many
  };
  Need need(const MemorySchedule &schedule, int64_t limit) const {
    Need need{0, live[worst()], size_t(llvm::count(live, live[worst()]))};
    for (auto [bytes, step] : llvm::zip_equal(live, schedule.steps))
      need.excess += step.isRepeat ? 0 : double(std::max<int64_t>(0, bytes - limit));
    return need;
  }

private:
  static void note(llvm::SmallVectorImpl<unsigned> &moments, unsigned moment) {
    if (moments.empty() || moments.back() != moment)
      moments.push_back(moment);
  }

  void sumUp(const MemorySchedule &schedule) {
    std::vector<int64_t> change(schedule.steps.size() + 1);
    for (auto [number, buffer] : llvm::enumerate(schedule.buffers))
      if (buffer.isPlanned && !touches[number].isEmpty()) {
        change[touches[number].first()] += buffer.bytes;
        change[touches[number].last() + 1] -= buffer.bytes;
      }
    int64_t bytes = 0;
    for (auto [moment, step] : llvm::enumerate(schedule.steps))
      live.push_back((bytes += change[moment]) + step.scratch);
  }

  std::vector<Touches> touches;
  std::vector<int64_t> live;
};

/// What a buffer holds before some step: the step of the first schedule that changed it last, as it
/// is the same in all repeats; kNever if none did.
using Content = unsigned;

/// How a buffer is made again before the step `before`.
struct Chain {
  unsigned target = 0, before = 0;
  llvm::DenseMap<unsigned, Content> contents; ///< of each buffer that is read or made: one
  /// What is made again, in order: what each buffer holds before a moment.
  llvm::SmallVector<std::pair<unsigned, unsigned>> made;
  llvm::DenseMap<unsigned, unsigned> standsFor; ///< of what is read: a buffer of equal content
  int64_t carried = 0; ///< bytes of what must live through the worst moment for this
  double seconds = 0;
};

/// One round: finds what to give up at the worst moment, and does it.
class Round {
public:
  Round(const MemorySchedule &schedule, int64_t limit)
      : schedule(schedule), usage(schedule), limit(limit), worst(usage.worst()) {
    for (auto [number, buffer] : llvm::enumerate(schedule.buffers))
      instances[buffer.origin].push_back(number);
  }

  bool isDone() const { return usage.liveAt(worst) <= limit; }
  std::optional<MemorySchedule> improve();

private:
  Content contentOf(unsigned buffer, unsigned before) const;
  bool isRepeatable(unsigned buffer, unsigned before) const;
  bool isLeftAlone(unsigned read, unsigned maker, unsigned before) const;
  std::optional<unsigned> findInstance(unsigned buffer, Content content, unsigned before) const;
  bool make(unsigned buffer, unsigned moment, unsigned depth, Chain &chain) const;
  bool provide(unsigned read, unsigned moment, unsigned depth, Chain &chain) const;
  std::vector<Chain> findChains() const;
  int64_t savedBy(const Chain &chain) const {
    return schedule.buffers[chain.target].bytes - chain.carried;
  }
  double gainOf(const Chain &chain) const;
  MemorySchedule apply(const Chain &chain) const;

  const MemorySchedule &schedule;
  Usage usage;
  int64_t limit;
  unsigned worst;
  llvm::DenseMap<unsigned, llvm::SmallVector<unsigned, 2>> instances; ///< by origin
};

Content Round::contentOf(unsigned buffer, unsigned before) const {
  llvm::ArrayRef<unsigned> makers = usage.of(buffer).makersBefore(before);
  return makers.empty() ? kNever : schedule.steps[makers.back()].origin;
}

/// Whether repeats of the steps that wrote `buffer` until the step `before` would write the same.
bool Round::isRepeatable(unsigned buffer, unsigned before) const {
  llvm::ArrayRef<unsigned> makers = usage.of(buffer).makersBefore(before);
  if (!schedule.buffers[buffer].isPlanned || makers.empty())
    return false;
  for (unsigned maker : makers) {
    const MemoryStep &step = schedule.steps[maker];
    if (!step.isRepeatable)
      return false;
    if (maker == makers.front() && llvm::is_contained(step.reads, buffer))
      return false;
    for (unsigned other : step.writes) // goes to a place of its own, which begins empty
      if (other != buffer &&
          (!schedule.buffers[other].isPlanned || llvm::is_contained(step.reads, other)))
        return false;
  }
  return true;
}

/// Whether `read`, which is always there, has at `before` what the step `maker` read.
bool Round::isLeftAlone(unsigned read, unsigned maker, unsigned before) const {
  return !usage.of(read).isWrittenBetween(maker, before) &&
         !llvm::is_contained(schedule.steps[maker].writes, read);
}

/// Of the instances of `buffer` that have `content` at `before`, the one that lives longest.
std::optional<unsigned> Round::findInstance(unsigned buffer, Content content,
                                            unsigned before) const {
  std::optional<unsigned> best;
  for (unsigned other : instances.lookup(schedule.buffers[buffer].origin))
    if (contentOf(other, before) == content &&
        (!best || usage.of(other).last() > usage.of(*best).last()))
      best = other;
  return best;
}

/// Lets what `read` holds before the step `moment` be there for a repeat: as it is, kept longer, or
/// made again where that keeps less.
bool Round::provide(unsigned read, unsigned moment, unsigned depth, Chain &chain) const {
  if (!schedule.buffers[read].isPlanned)
    return isLeftAlone(read, moment, chain.before);
  Content content = contentOf(read, moment);
  if (auto known = chain.contents.find(read); known != chain.contents.end())
    return known->second == content;
  if (content == kNever)
    return false;
  std::optional<unsigned> instance = findInstance(read, content, chain.before);
  int64_t kept = instance && usage.of(*instance).last() >= worst ? 0 : schedule.buffers[read].bytes;
  if (kept > 0 && depth > 0) {
    Chain longer = chain;
    if (make(read, moment, depth - 1, longer) && longer.carried - chain.carried < kept) {
      chain = std::move(longer);
      return true;
    }
  }
  if (!instance)
    return false;
  chain.contents[read] = content;
  chain.standsFor[read] = *instance;
  chain.carried += kept;
  return true;
}

/// Adds to the chain what makes again what `buffer` holds before the step `moment`.
bool Round::make(unsigned buffer, unsigned moment, unsigned depth, Chain &chain) const {
  if (!isRepeatable(buffer, moment))
    return false;
  chain.contents[buffer] = contentOf(buffer, moment);
  for (unsigned maker : usage.of(buffer).makersBefore(moment)) {
    const MemoryStep &step = schedule.steps[maker];
    for (unsigned read : step.reads)
      if (read != buffer && !provide(read, maker, depth, chain))
        return false;
    chain.seconds += step.seconds;
  }
  chain.made.push_back({buffer, moment});
  return true;
}

double Round::gainOf(const Chain &chain) const {
  constexpr double least = 1e-9; // seconds that nothing falls below
  int64_t wanted = usage.liveAt(worst) - limit;
  return double(std::min(savedBy(chain), wanted)) / (chain.seconds + least);
}

/// All that helps at the worst moment, what helps most for its time first.
std::vector<Chain> Round::findChains() const {
  std::vector<Chain> chains;
  for (auto [number, buffer] : llvm::enumerate(schedule.buffers)) {
    const Touches &touched = usage.of(number);
    if (!buffer.isPlanned || buffer.bytes == 0 || touched.isEmpty() || touched.first() >= worst ||
        touched.last() <= worst || touched.next(worst) == worst)
      continue;
    size_t before = 0;
    for (unsigned depth : {0, 1, 2, 4, 8, 16}) {
      Chain chain;
      chain.target = number;
      chain.before = touched.next(worst);
      if (!make(number, chain.before, depth, chain) || savedBy(chain) <= 0 ||
          chain.made.size() == before)
        continue;
      before = chain.made.size();
      chains.push_back(std::move(chain));
    }
  }
  llvm::stable_sort(chains, [&](const Chain &a, const Chain &b) { return gainOf(a) > gainOf(b); });
  return chains;
}

/// The schedule with the repeats of `chain`.
MemorySchedule Round::apply(const Chain &chain) const {
  MemorySchedule changed;
  changed.buffers = schedule.buffers;
  llvm::DenseMap<unsigned, unsigned> renamed = chain.standsFor;
  auto copyOf = [&](unsigned buffer) {
    changed.buffers.push_back(schedule.buffers[buffer]);
    return unsigned(changed.buffers.size() - 1);
  };
  auto substitute = [&](llvm::SmallVectorImpl<unsigned> &buffers) {
    for (unsigned &buffer : buffers)
      if (auto found = renamed.find(buffer); found != renamed.end())
        buffer = found->second;
  };
  std::vector<MemoryStep> repeats;
  for (auto [buffer, moment] : chain.made) {
    renamed[buffer] = copyOf(buffer);
    for (unsigned maker : usage.of(buffer).makersBefore(moment)) {
      MemoryStep &repeat = repeats.emplace_back(schedule.steps[maker]);
      repeat.isRepeat = true;
      substitute(repeat.reads);
      for (unsigned &written : repeat.writes)
        written = written == buffer ? renamed[buffer] : copyOf(written);
    }
  }
  changed.steps.assign(schedule.steps.begin(), schedule.steps.begin() + chain.before);
  llvm::append_range(changed.steps, repeats);
  for (auto step = schedule.steps.begin() + chain.before; step != schedule.steps.end(); ++step) {
    MemoryStep &later = changed.steps.emplace_back(*step);
    for (auto *list : {&later.reads, &later.writes})
      std::replace(list->begin(), list->end(), chain.target, renamed[chain.target]);
  }
  return changed;
}

/// The schedule after the best change that helps; none if none does.
std::optional<MemorySchedule> Round::improve() {
  constexpr size_t most = 32; // changes that are tried
  Usage::Need now = usage.need(schedule, limit);
  auto helps = [&](const Usage::Need &then) {
    return then.peak <= now.peak && std::tie(then.excess, then.peak, then.moments) <
                                        std::tie(now.excess, now.peak, now.moments);
  };
  std::vector<Chain> chains = findChains();
  for (size_t next = 0; next < std::min(chains.size(), most); ++next) {
    MemorySchedule changed = apply(chains[next]);
    if (helps(Usage(changed).need(changed, limit)))
      return changed;
  }
  return std::nullopt;
}

} // namespace

MemoryPeak findPeak(const MemorySchedule &schedule) {
  MemoryPeak peak;
  if (schedule.steps.empty())
    return peak;
  Usage usage(schedule);
  peak.step = usage.worst();
  peak.bytes = usage.liveAt(peak.step);
  for (auto [number, buffer] : llvm::enumerate(schedule.buffers))
    if (const Touches &touched = usage.of(number); buffer.isPlanned && !touched.isEmpty() &&
                                                   touched.first() <= peak.step &&
                                                   touched.last() >= peak.step)
      peak.buffers.push_back(number);
  llvm::stable_sort(peak.buffers, [&](unsigned a, unsigned b) {
    return schedule.buffers[a].bytes > schedule.buffers[b].bytes;
  });
  return peak;
}

llvm::SmallVector<ArenaBuffer> livesOf(const MemorySchedule &schedule) {
  llvm::SmallVector<ArenaBuffer> lives;
  Usage usage(schedule);
  for (auto [number, buffer] : llvm::enumerate(schedule.buffers))
    if (const Touches &touched = usage.of(number); buffer.isPlanned && !touched.isEmpty())
      lives.push_back({buffer.bytes, touched.first(), touched.last(), 0});
  return lives;
}

double secondsOfRepeats(const MemorySchedule &schedule) {
  double seconds = 0;
  for (const MemoryStep &step : schedule.steps)
    seconds += step.isRepeat ? step.seconds : 0;
  return seconds;
}

bool repeatSteps(MemorySchedule &schedule, int64_t bytes) {
  while (!schedule.steps.empty()) {
    Round round(schedule, bytes);
    if (round.isDone())
      return true;
    std::optional<MemorySchedule> changed = round.improve();
    if (!changed)
      return false;
    schedule = std::move(*changed);
  }
  return true;
}

} // namespace tutti::memory
