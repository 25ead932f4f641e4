// Tries what is left open, cheap questions first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/search/Search.h"

#include "passes/Pipelines.h"
#include "passes/compile/Pipelines.h"
#include "passes/search/Candidates.h"
#include "passes/search/Trial.h"
#include "passes/specialize/Passes.h"

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

/// Computation changes a little with what is packed into buckets, and neighbours that divide tokens
/// compute less of norms and residuals: a bound allows for that much.
constexpr double kLeastCompute = 0.95, kLeastComputeOfMesh = 0.8;
/// Candidates that are tried at a time. What is left out for those before must not depend on the
/// number of processors.
constexpr size_t kFirstAtOnce = 4, kHidingAtOnce = 2;
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
  }

  LogicalResult run() {
    tryFirst();
    tryWhatHides();
    tryTokens();
    tryAllOfTheBest();
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

  /// The candidates of a way to divide the work, by ways to travel.
  struct Way {
    std::vector<size_t> all;
    std::string mesh;
    std::vector<size_t> hiding; ///< those that let the step wait the least
    std::vector<size_t> tokens; ///< the same, where neighbours exchange tokens
    bool hasLevels = false;

    size_t first() const { return all.front(); }
  };

  Way add(const Work &work) {
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

  bool isOpen(size_t number) const {
    const Candidate &candidate = answer.candidates[number];
    return !candidate.time && candidate.problem.empty() && candidate.leftOut.empty();
  }

  /// Those of `numbers` that are worth a look.
  std::vector<Candidate *> openOnes(ArrayRef<size_t> numbers) {
    std::vector<Candidate *> open;
    for (size_t number : numbers)
      if (isOpen(number))
        open.push_back(&answer.candidates[number]);
    return open;
  }

  /// Distributes them. What is the same program as one before is left out.
  void distribute(ArrayRef<size_t> numbers) {
    std::vector<Candidate *> open = openOnes(numbers);
    trials.distribute(open);
    for (Candidate *candidate : open) {
      for (const Candidate *other : distributed)
        if (trials.areSame(*other, *candidate)) {
          candidate->leftOut = "it makes the same program as " + shownKeys(other->keys);
          break;
        }
      if (candidate->leftOut.empty() && candidate->problem.empty())
        distributed.push_back(candidate);
    }
  }

  /// Prices them, which are distributed.
  void price(ArrayRef<size_t> numbers) {
    std::vector<Candidate *> open = openOnes(numbers);
    trials.price(open);
    answer.priced += llvm::count_if(open, [](Candidate *one) { return one->time.has_value(); });
  }

  void attempt(ArrayRef<size_t> numbers) {
    distribute(numbers);
    price(numbers);
  }

  /// Each way to divide the work with what changes least.
  void tryFirst() {
    for (const Work &work : space.works)
      ways.push_back(add(work));
    tryFirst(ways);
  }

  void tryFirst(ArrayRef<Way> those) {
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

  static void inGroups(ArrayRef<Way> all, size_t size,
                       llvm::function_ref<void(ArrayRef<Way>)> work) {
    for (; !all.empty(); all = all.drop_front(std::min(size, all.size())))
      work(all.take_front(size));
  }

  /// What passes refuse however gradients travel, and what is the same program however they do.
  void giveOn(const Way &way) {
    const Candidate &first = answer.candidates[way.first()];
    for (size_t number : way.all)
      if (isOpen(number) && !first.time) {
        answer.candidates[number].problem = first.problem;
        answer.candidates[number].leftOut = first.leftOut;
      }
  }

  /// With what hides most communication, where computing alone does not take longer than what is
  /// known already.
  void tryWhatHides() {
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
  void tryTokens() {
    std::set<std::string> meshes;
    std::vector<size_t> tokens;
    for (const Way &way : fastestFirst(ways))
      if (meshes.insert(way.mesh).second)
        llvm::append_range(tokens, way.tokens);
    attempt(tokens);
  }

  void boundByComputation(const Way &way) {
    const Candidate &first = answer.candidates[way.first()];
    std::optional<double> limit = secondBestSeconds();
    double least = !way.tokens.empty() ? kLeastComputeOfMesh : kLeastCompute;
    if (limit && first.time && first.time->compute * least > *limit)
      leaveOutAll(way, "computing", first.time->compute);
  }

  /// A hierarchy sends other bytes than what is flat.
  void boundByBytes(const Way &way) {
    const Candidate &first = answer.candidates[way.first()];
    std::optional<double> limit = secondBestSeconds();
    if (limit && !way.hasLevels && first.leastTravel > *limit)
      leaveOutAll(way, "sending its bytes", first.leastTravel);
  }

  void leaveOutAll(const Way &way, const char *what, double seconds) {
    for (size_t number : way.all)
      leaveOut(number, llvm::formatv("{0} alone takes about {1:f3} ms, more than the two best take "
                                     "in all",
                                     what, seconds * 1e3));
  }

  /// The best way to divide the work, with all ways to travel.
  void tryAllOfTheBest() {
    std::vector<Way> sorted = fastestFirst(ways);
    attempt(sorted.front().all);
    for (const Way &way : sorted)
      for (size_t number : way.all)
        leaveOut(number, "another way to divide the work is faster");
  }

  std::vector<Way> fastestFirst(std::vector<Way> those) const {
    auto bestOf = [&](const Way &way) {
      int64_t best = std::numeric_limits<int64_t>::max();
      for (size_t number : way.all)
        best = std::min(best, rankOf(number));
      return best;
    };
    llvm::stable_sort(those, [&](const Way &a, const Way &b) { return bestOf(a) < bestOf(b); });
    return those;
  }

  void leaveOut(size_t number, std::string why) {
    if (isOpen(number))
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

  /// The two fastest that fit, and whose variables are proved to stay replicated; false if there is
  /// none. Of those that are alike that which changes less, and the second is the fastest that is
  /// not.
  bool choose(Fit fit) {
    while (chooseByTime(fit)) {
      std::vector<Candidate *> unproved;
      for (size_t number : {answer.chosen, answer.second.value_or(answer.chosen)})
        if (proved.insert(number).second)
          unproved.push_back(&answer.candidates[number]);
      trials.prove(unproved);
      bool isProved = true;
      for (Candidate *candidate : unproved)
        if (!candidate->problem.empty()) {
          candidate->time.reset();
          isProved = false;
        }
      if (isProved)
        return true;
    }
    return false;
  }

  bool chooseByTime(Fit fit) {
    std::vector<size_t> order = fastestFirst();
    llvm::erase_if(order, [&](size_t number) { return !fits(answer.candidates[number], fit); });
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
    return true;
  }

  void plan(ArrayRef<size_t> numbers) {
    std::vector<Candidate *> unplanned;
    for (size_t number : numbers)
      if (Candidate &candidate = answer.candidates[number]; !candidate.memory && candidate.time)
        unplanned.push_back(&candidate);
    trials.planMemory(answer.memory, unplanned);
  }

  /// Chooses, tries all ways to travel of the chosen division of work, and chooses again: they were
  /// left out because another division was faster, which does not fit.
  bool chooseAll(Fit fit) {
    if (!choose(fit))
      return false;
    size_t chosen = answer.chosen;
    for (const Way &way : ways)
      if (llvm::is_contained(way.all, chosen)) {
        for (size_t number : way.all)
          answer.candidates[number].leftOut.clear();
        attempt(way.all);
        plan(way.all);
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
    for (int64_t parts = 2; parts <= kMostMicroBatches; parts *= 2) {
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
      planFastestFirst();
      if (choose(Fit::Whole) || choose(Fit::Repeating))
        return true;
    }
    return false;
  }

  std::vector<size_t> fastestFirst() const {
    std::vector<size_t> order;
    for (size_t number = 0; number < answer.candidates.size(); ++number)
      if (answer.candidates[number].time)
        order.push_back(number);
    llvm::stable_sort(order, [&](size_t a, size_t b) { return rankOf(a) < rankOf(b); });
    return order;
  }

  /// Until two fit as they are: those that are slower need not be known.
  void planFastestFirst() {
    size_t found = 0;
    std::vector<size_t> order = fastestFirst();
    for (ArrayRef<size_t> left = order; !left.empty() && found < 2;) {
      ArrayRef<size_t> two = left.take_front(2);
      plan(two);
      found += llvm::count_if(
          two, [&](size_t number) { return fits(answer.candidates[number], Fit::Whole); });
      left = left.drop_front(two.size());
    }
  }

  ModuleOp program;
  Space space;
  Trials trials;
  std::vector<Way> ways;                      ///< by work
  std::vector<const Candidate *> distributed; ///< of different programs
  std::set<size_t> proved;                    ///< or tried to be
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

void search::addTriedDialects(DialectRegistry &registry) {
  OpPassManager passes(ModuleOp::getOperationName());
  for (const char *keys : {"", "mesh=tp:2"})
    if (auto options = DistributeOptions::parse(keys, [](const Twine &) { return failure(); });
        succeeded(options))
      llvm::consumeError(addDistributePipeline(passes, *options));
  specialize::SpecializeWorldPassOptions world;
  world.ranks = 2;
  passes.addPass(specialize::createSpecializeWorldPass(world));
  compile::addSpecializePipeline(passes, {});
  compile::addMemoryPlanPipeline(passes, {});
  passes.getDependentDialects(registry);
}

/// Before several threads need them.
static void loadTriedDialects(MLIRContext *context) {
  DialectRegistry registry;
  addTriedDialects(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
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
  loadTriedDialects(program.getContext());
  Searcher searcher(program, question, *cluster, std::move(*space), ranks);
  if (failed(searcher.run()))
    return failure();
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  searcher.answer.seconds = seconds.count();
  return std::move(searcher.answer);
}
