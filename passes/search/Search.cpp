// Tries what is left open, cheap questions first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/search/Search.h"

#include "passes/search/Candidates.h"
#include "passes/search/Trial.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <cmath>
#include <set>

using namespace mlir;
using namespace tutti;
using namespace tutti::search;

int64_t Candidate::nanoseconds() const { return time ? std::llround(time->step * 1e9) : -1; }

namespace {

/// Computation changes a little with what is packed into buckets: a bound allows for that much.
constexpr double kSlack = 0.95;
/// Times that differ by less are alike: no prediction is as exact.
constexpr double kAlike = 1.001;
/// Parts of a local batch that are tried where nothing else fits.
constexpr int64_t kMostMicroBatches = 64;

class Searcher {
public:
  Searcher(ModuleOp program, const Question &question, const cost::Cluster &cluster, Space space,
           int64_t ranks)
      : program(program), space(std::move(space)), trials(program, cluster, ranks) {
    answer.ranks = ranks;
    answer.cluster = question.cluster;
    answer.memory = question.memory;
    wantsMemory = question.wantsMemory || question.memory > 0;
  }

  LogicalResult run() {
    tryFirstWays();
    tryWaysThatHide();
    tryOtherWaysOfTheBest();
    if (answer.memory == 0 ? choose(Fit::Any) : chooseWithinMemory())
      return success();
    return refuse();
  }

  Answer answer;

private:
  /// Says what comes nearest.
  LogicalResult refuse() {
    InFlightDiagnostic error = emitError(program.getLoc()) << "--distribute=auto finds nothing";
    const Candidate *least = nullptr;
    for (const Candidate &candidate : answer.candidates)
      if (candidate.memory && (!least || candidate.memory->bytes < least->memory->bytes))
        least = &candidate;
    if (least)
      return error << " that a rank can have in " << answer.memory << " bytes: the least is "
                   << least->memory->bytes << " bytes, of " << shownKeys(least->keys)
                   << "; allow a rank as much, take more ranks or a smaller global batch";
    const Candidate &first = answer.candidates.front();
    return error << " that can be had: with " << shownKeys(first.keys) << ", " << first.problem;
  }

  enum class Fit { Any, Whole, Repeating };

  /// Candidates of one way to divide the work, by their ways to travel.
  std::vector<size_t> add(StringRef work, ArrayRef<std::string> travels) {
    std::vector<size_t> added;
    for (const std::string &travel : travels) {
      added.push_back(answer.candidates.size());
      answer.candidates.push_back(space.candidate(work, travel));
      checkKeys(answer.candidates.back());
    }
    return added;
  }

  bool isOpen(const Candidate &candidate) const {
    return !candidate.time && candidate.problem.empty() && candidate.leftOut.empty();
  }

  void attempt(size_t number) {
    Candidate &candidate = answer.candidates[number];
    if (!isOpen(candidate))
      return;
    trials.price(candidate);
    ++answer.priced;
  }

  /// Each way to divide the work with what changes least.
  void tryFirstWays() {
    for (const std::string &work : space.works)
      ways.push_back(add(work, space.travels));
    for (ArrayRef<size_t> way : ways) {
      attempt(way.front());
      // What the passes refuse however gradients travel.
      const Candidate &first = answer.candidates[way.front()];
      for (size_t number : way.drop_front())
        if (isOpen(answer.candidates[number]) && !first.problem.empty())
          answer.candidates[number].problem = first.problem;
    }
  }

  /// With what hides most communication, where computing alone does not take longer than what is
  /// known already.
  void tryWaysThatHide() {
    if (space.travels.size() < 2)
      return;
    std::vector<std::vector<size_t>> sorted = ways;
    llvm::stable_sort(sorted, [&](ArrayRef<size_t> a, ArrayRef<size_t> b) {
      return rankOf(a.front()) < rankOf(b.front());
    });
    for (ArrayRef<size_t> way : sorted) {
      const Candidate &first = answer.candidates[way.front()];
      std::optional<double> limit = secondBestSeconds();
      if (!first.time || !limit) {
        attempt(way.back());
        continue;
      }
      if (first.time->compute * kSlack > *limit)
        leaveOutAll(way, "computing", first.time->compute);
      // A hierarchy sends other bytes than what is flat.
      if (!StringRef(space.travels.back()).contains("hierarchy=") && first.leastTravel > *limit)
        leaveOutAll(way, "sending its bytes", first.leastTravel);
      attempt(way.back());
    }
  }

  void leaveOutAll(ArrayRef<size_t> way, const char *what, double seconds) {
    for (size_t number : way.drop_front())
      leaveOut(number, llvm::formatv("{0} alone takes about {1:f3} ms, more than the two best take "
                                     "in all",
                                     what, seconds * 1e3));
  }

  /// The best way to divide the work, with all ways to travel.
  void tryOtherWaysOfTheBest() {
    std::vector<std::pair<int64_t, size_t>> best;
    for (size_t way = 0; way < ways.size(); ++way)
      best.push_back({std::min(rankOf(ways[way].front()), rankOf(ways[way].back())), way});
    llvm::sort(best);
    for (size_t place = 0; place < best.size(); ++place)
      for (size_t number : ways[best[place].second])
        if (place == 0)
          attempt(number);
        else
          leaveOut(number, "another way to divide the work is faster");
  }

  void leaveOut(size_t number, std::string why) {
    if (isOpen(answer.candidates[number]))
      answer.candidates[number].leftOut = std::move(why);
  }

  /// For sorting: what has no time comes last.
  int64_t rankOf(size_t number) const {
    int64_t nanoseconds = answer.candidates[number].nanoseconds();
    return nanoseconds < 0 ? std::numeric_limits<int64_t>::max() : nanoseconds;
  }

  std::optional<double> secondBestSeconds() const {
    std::vector<double> times;
    for (const Candidate &candidate : answer.candidates)
      if (candidate.time)
        times.push_back(candidate.time->step);
    if (times.size() < 2)
      return std::nullopt;
    llvm::sort(times);
    return times[1];
  }

  bool fits(const Candidate &candidate, Fit fit) const {
    if (fit == Fit::Any)
      return true;
    return candidate.memory && candidate.memory->bytes <= answer.memory &&
           (fit == Fit::Repeating || candidate.memory->repeated == 0);
  }

  /// The two fastest that fit; false if there is none. Of those that are alike that which changes
  /// less, and the second is the fastest that is not.
  bool choose(Fit fit) {
    std::vector<size_t> order;
    for (size_t number = 0; number < answer.candidates.size(); ++number)
      if (answer.candidates[number].time && fits(answer.candidates[number], fit))
        order.push_back(number);
    llvm::stable_sort(order, [&](size_t a, size_t b) { return rankOf(a) < rankOf(b); });
    if (order.empty())
      return false;
    auto isSlower = [&](size_t number, size_t than) {
      return double(rankOf(number)) > double(rankOf(than)) * kAlike;
    };
    answer.chosen = order[0];
    for (size_t number : order)
      if (number < answer.chosen && !isSlower(number, order[0]))
        answer.chosen = number;
    llvm::erase(order, answer.chosen);
    answer.second.reset();
    for (size_t number : order) {
      bool isAlike = !isSlower(number, answer.chosen);
      if (rankOf(number) < rankOf(answer.chosen) || (isAlike && answer.second))
        continue;
      answer.second = number;
      if (!isAlike)
        break;
    }
    if (wantsMemory) {
      plan(answer.chosen);
      plan(answer.second.value_or(answer.chosen));
    }
    return true;
  }

  void plan(size_t number) {
    Candidate &candidate = answer.candidates[number];
    if (!candidate.memory && candidate.time)
      trials.planMemory(answer.memory, candidate);
  }

  /// Chooses, tries all ways to travel of the chosen division of work, and chooses again: they were
  /// left out because another division was faster, which does not fit.
  bool chooseAll(Fit fit) {
    if (!choose(fit))
      return false;
    size_t chosen = answer.chosen;
    for (ArrayRef<size_t> way : ways)
      if (llvm::is_contained(way, chosen))
        for (size_t number : way) {
          answer.candidates[number].leftOut.clear();
          attempt(number);
          plan(number);
        }
    return choose(fit);
  }

  /// What fits as it is; else what fits if values are computed again; else parts of a batch, one
  /// after another.
  bool chooseWithinMemory() {
    planFastestFirst();
    if (chooseAll(Fit::Whole) || chooseAll(Fit::Repeating))
      return true;
    if (StringRef(space.fixed).contains("accumulate="))
      return false;
    std::vector<std::string> travels = {space.travels.front()};
    if (space.travels.size() > 1)
      travels.push_back(space.travels.back());
    for (int64_t parts = 2; parts <= kMostMicroBatches; parts *= 2) {
      for (const std::string &work : space.works) {
        std::string key = "accumulate=" + std::to_string(parts);
        for (size_t number : add(work.empty() ? key : work + " " + key, travels))
          attempt(number);
      }
      planFastestFirst();
      if (choose(Fit::Whole) || choose(Fit::Repeating))
        return true;
    }
    return false;
  }

  /// Until two fit as they are: those that are slower need not be known.
  void planFastestFirst() {
    std::vector<size_t> order;
    for (size_t number = 0; number < answer.candidates.size(); ++number)
      if (answer.candidates[number].time)
        order.push_back(number);
    llvm::stable_sort(order, [&](size_t a, size_t b) { return rankOf(a) < rankOf(b); });
    size_t found = 0;
    for (size_t number : order) {
      if (found == 2)
        return;
      plan(number);
      found += fits(answer.candidates[number], Fit::Whole);
    }
  }

  ModuleOp program;
  Space space;
  bool wantsMemory;
  Trials trials;
  std::vector<std::vector<size_t>> ways; ///< by work: its candidates, by travel
};

} // namespace

static FailureOr<cost::Cluster> readDescription(ModuleOp program, const Question &question) {
  if (question.cluster.empty())
    return emitError(program.getLoc())
           << "--distribute=auto needs to know the machines: measure them with 'dist-run -n "
           << (question.ranks > 0 ? std::to_string(question.ranks) : "N")
           << " --calibrate cluster.json', and give --distribute=\"auto cluster=cluster.json\"";
  llvm::Expected<cost::Cluster> read = cost::readCluster(question.cluster);
  if (!read)
    return emitError(program.getLoc()) << llvm::toString(read.takeError());
  int64_t ranks = question.ranks > 0 ? question.ranks : read->ranks();
  if (read->nodesFor(ranks) > 1 && !read->network)
    return emitError(program.getLoc())
           << "--distribute=auto: " << ranks << " ranks need " << read->nodesFor(ranks)
           << " nodes, but '" << question.cluster << "' lacks the key 'levels.network'";
  return *read;
}

FailureOr<Answer> search::searchDistribution(ModuleOp program, const Question &question) {
  auto begin = std::chrono::steady_clock::now();
  FailureOr<cost::Cluster> cluster = readDescription(program, question);
  if (failed(cluster))
    return failure();
  int64_t ranks = question.ranks > 0 ? question.ranks : cluster->ranks();
  auto complain = [&](const Twine &why) -> LogicalResult {
    return emitError(program.getLoc()) << why;
  };
  FailureOr<Space> space = spaceOf(question, *cluster, ranks, complain);
  if (failed(space))
    return failure();
  Searcher searcher(program, question, *cluster, std::move(*space), ranks);
  if (failed(searcher.run()))
    return failure();
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  searcher.answer.seconds = seconds.count();
  return std::move(searcher.answer);
}
