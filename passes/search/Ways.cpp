// Adds, bounds and prices candidates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/search/Ways.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace mlir;
using namespace tutti;
using namespace tutti::search;

/// Computation changes a little with what is packed into buckets, and neighbours that divide tokens
/// compute less of norms and residuals: a bound allows for that much.
constexpr double kLeastCompute = 0.95, kLeastComputeOfMesh = 0.8;
/// Candidates that are tried at a time. What is left out for those before must not depend on the
/// number of processors.
constexpr size_t kFirstAtOnce = 4, kHidingAtOnce = 2;

Way Ways::add(const Work &work) {
  Way way;
  way.mesh = work.mesh;
  for (const Travel &travel : work.travels) {
    size_t number = answer.candidates.size();
    answer.candidates.push_back(space.candidate(work.keys, travel.keys));
    checkKeys(answer.candidates.back());
    way.all.push_back(number);
    if (travel.hidesMost)
      (travel.dividesTokens ? way.tokens : way.hiding).push_back(number);
    way.hasLevels |= StringRef(travel.keys).contains("hierarchy=");
  }
  return way;
}

bool Ways::isOpen(size_t number) const {
  const Candidate &candidate = answer.candidates[number];
  return !candidate.time && candidate.problem.empty() && candidate.leftOut.empty();
}

/// Those of `numbers` that are worth a look.
std::vector<Candidate *> Ways::openOnes(ArrayRef<size_t> numbers) {
  std::vector<Candidate *> open;
  for (size_t number : numbers)
    if (isOpen(number))
      open.push_back(&answer.candidates[number]);
  return open;
}

/// Distributes them. What is the same program as one before is left out.
void Ways::distribute(ArrayRef<size_t> numbers) {
  std::vector<Candidate *> open = openOnes(numbers);
  trials.distribute(open);
  for (Candidate *candidate : open) {
    for (const Candidate *other : distributed)
      if (other != candidate && trials.areSame(*other, *candidate)) {
        candidate->leftOut = "it makes the same program as " + shownKeys(other->keys);
        break;
      }
    if (candidate->leftOut.empty() && candidate->problem.empty())
      distributed.push_back(candidate);
  }
}

/// Prices them, which are distributed.
void Ways::price(ArrayRef<size_t> numbers) {
  std::vector<Candidate *> open = openOnes(numbers);
  trials.price(open);
  answer.priced += llvm::count_if(open, [](Candidate *one) { return one->time.has_value(); });
}

void Ways::attempt(ArrayRef<size_t> numbers) {
  distribute(numbers);
  price(numbers);
}

static void inGroups(ArrayRef<Way> all, size_t size, llvm::function_ref<void(ArrayRef<Way>)> work) {
  for (; !all.empty(); all = all.drop_front(std::min(size, all.size())))
    work(all.take_front(size));
}

void Ways::explore() {
  for (const Work &work : space.works)
    ways.push_back(add(work));
  tryFirst(ways);
  tryWhatHides();
  tryTokens();
  tryAllOfTheBest();
}

/// Each way to divide the work with what changes least.
void Ways::tryFirst(ArrayRef<Way> those) {
  std::vector<size_t> firsts;
  for (const Way &way : those)
    firsts.push_back(way.first());
  distribute(firsts);
  std::vector<Way> sorted = those;
  llvm::stable_sort(sorted, [&](const Way &a, const Way &b) {
    return answer.candidates[a.first()].leastTravel < answer.candidates[b.first()].leastTravel;
  });
  inGroups(sorted, kFirstAtOnce, [&](ArrayRef<Way> group) {
    firsts.clear();
    for (const Way &way : group) {
      if (answer.memory == 0) // else what is slow may be all that fits
        boundByBytes(way);
      firsts.push_back(way.first());
    }
    price(firsts);
  });
  for (const Way &way : those)
    giveOn(way);
}

/// What passes refuse however gradients travel, and what is the same program however they do.
void Ways::giveOn(const Way &way) {
  const Candidate &first = answer.candidates[way.first()];
  for (size_t number : way.all)
    if (isOpen(number) && !first.time) {
      answer.candidates[number].problem = first.problem;
      answer.candidates[number].leftOut = first.leftOut;
    }
}

/// With what hides most communication, where computing alone does not take longer than what is
/// known already.
void Ways::tryWhatHides() {
  std::vector<Way> sorted = fastestFirst(ways);
  inGroups(sorted, kHidingAtOnce, [&](ArrayRef<Way> group) {
    std::vector<size_t> hiding;
    for (const Way &way : group) {
      boundByComputation(way);
      boundByBytes(way);
      llvm::append_range(hiding, way.hiding);
    }
    attempt(hiding);
  });
}

/// Of each mesh, the best way with tokens divided: what that is worth depends little on the rest.
void Ways::tryTokens() {
  std::set<std::string> meshes;
  std::vector<size_t> tokens;
  for (const Way &way : fastestFirst(ways))
    if (meshes.insert(way.mesh).second)
      llvm::append_range(tokens, way.tokens);
  attempt(tokens);
}

void Ways::boundByComputation(const Way &way) {
  const Candidate &first = answer.candidates[way.first()];
  std::optional<double> limit = secondBestSeconds();
  double least = !way.tokens.empty() ? kLeastComputeOfMesh : kLeastCompute;
  if (limit && first.time && first.time->compute * least > *limit)
    leaveOutAll(way, "computing", first.time->compute);
}

/// A hierarchy sends other bytes than what is flat.
void Ways::boundByBytes(const Way &way) {
  const Candidate &first = answer.candidates[way.first()];
  std::optional<double> limit = secondBestSeconds();
  if (limit && !way.hasLevels && first.leastTravel > *limit)
    leaveOutAll(way, "sending its bytes", first.leastTravel);
}

void Ways::leaveOutAll(const Way &way, const char *what, double seconds) {
  for (size_t number : way.all)
    leaveOut(number, llvm::formatv("{0} alone takes about {1:f3} ms, more than the two best take "
                                   "in all",
                                   what, seconds * 1e3));
}

/// The best way to divide the work, with all ways to travel.
void Ways::tryAllOfTheBest() {
  std::vector<Way> sorted = fastestFirst(ways);
  attempt(sorted.front().all);
  for (const Way &way : sorted)
    for (size_t number : way.all)
      leaveOut(number, "another way to divide the work is faster");
}

std::vector<Way> Ways::fastestFirst(std::vector<Way> those) const {
  auto bestOf = [&](const Way &way) {
    int64_t best = std::numeric_limits<int64_t>::max();
    for (size_t number : way.all)
      best = std::min(best, rankOf(number));
    return best;
  };
  llvm::stable_sort(those, [&](const Way &a, const Way &b) { return bestOf(a) < bestOf(b); });
  return those;
}

void Ways::leaveOut(size_t number, std::string why) {
  if (isOpen(number))
    answer.candidates[number].leftOut = std::move(why);
}

/// For sorting: what has no time comes last.
int64_t Ways::rankOf(size_t number) const {
  int64_t nanoseconds = answer.candidates[number].nanoseconds();
  return nanoseconds < 0 ? std::numeric_limits<int64_t>::max() : nanoseconds;
}

std::optional<double> Ways::secondBestSeconds() const {
  std::vector<double> times;
  for (const Candidate &candidate : answer.candidates)
    if (candidate.time)
      times.push_back(candidate.time->step);
  if (times.size() < 2)
    return std::nullopt;
  llvm::sort(times);
  return times[1];
}

void Ways::exploreParts(int64_t parts) {
  std::vector<Way> inParts;
  std::vector<size_t> hiding; // whatever neighbours exchange
  for (Work work : space.works) {
    std::string key = "accumulate=" + std::to_string(parts);
    work.keys = work.keys.empty() ? key : work.keys + " " + key;
    std::vector<Travel> travels = {work.travels.front()};
    llvm::copy_if(llvm::drop_begin(work.travels), std::back_inserter(travels),
                  [](const Travel &travel) { return travel.hidesMost; });
    work.travels = std::move(travels);
    inParts.push_back(add(work));
    llvm::append_range(hiding, inParts.back().hiding);
    llvm::append_range(hiding, inParts.back().tokens);
  }
  tryFirst(inParts);
  attempt(hiding);
}

std::vector<size_t> Ways::exploreAllLike(size_t number) {
  for (const Way &way : ways)
    if (llvm::is_contained(way.all, number)) {
      for (size_t other : way.all)
        answer.candidates[other].leftOut.clear();
      attempt(way.all);
      return way.all;
    }
  return {};
}

std::vector<size_t> Ways::fastestFirst() const {
  std::vector<size_t> order;
  for (size_t number = 0; number < answer.candidates.size(); ++number)
    if (answer.candidates[number].time)
      order.push_back(number);
  llvm::stable_sort(order, [&](size_t a, size_t b) { return rankOf(a) < rankOf(b); });
  return order;
}
