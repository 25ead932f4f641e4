// Chooses among candidates: by time, by memory, and by proof.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/search/Search.h"

#include "dialects/interfaces/BatchStatistics.h"
#include "passes/Pipelines.h"
#include "passes/compile/Pipelines.h"
#include "passes/search/Candidates.h"
#include "passes/search/Kept.h"
#include "passes/search/Tensors.h"
#include "passes/search/Trial.h"
#include "passes/search/Ways.h"
#include "passes/specialize/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <cmath>
#include <set>

using namespace mlir;
using namespace tutti;
using namespace tutti::search;

int64_t Candidate::nanoseconds() const {
  double longer = memory ? memory->longer : 0;
  return time ? std::llround(time->step * 1e9) + std::llround(longer * 1e9) : -1;
}

namespace {

/// What divides variables may be slower by so much, and yet the fastest once they are kept.
constexpr double kWorthKeeping = 1.1;
/// Parts of a local batch that are tried where nothing else fits.
constexpr int64_t kMostMicroBatches = 64;

/// Whether a batch in parts gives other numbers.
bool takesBatchStatistics(ModuleOp program) {
  WalkResult walked = program.walk([](BatchStatisticsOpInterface op) {
    return op.isSynchronized() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return walked.wasInterrupted();
}

class Searcher {
public:
  Searcher(ModuleOp program, const Question &question, const cost::Cluster &cluster, Space space,
           int64_t ranks)
      : program(program), space(std::move(space)),
        trials(program, cluster, ranks, question.offloadsStates),
        trialsOfOne(program, cluster, 1, question.offloadsStates),
        ways(this->space, trials, answer) {
    answer.ranks = ranks;
    answer.cluster = question.cluster;
    answer.memory = question.memory;
    explainsTensors = question.explainsTensors;
  }

  LogicalResult run() {
    ways.explore();
    if (!(answer.memory == 0 ? choose() : chooseWithinMemory()))
      return refuse();
    keepGathered();
    hideWaiting();
    chooseTensors();
    priceOneRank();
    return success();
  }

  Answer answer;

private:
  /// Says what comes nearest.
  LogicalResult refuse() {
    const Candidate *least = findSmallest();
    InFlightDiagnostic error = emitError(program.getLoc()) << "--distribute=auto finds nothing";
    if (least)
      return error << " that a rank can have in " << answer.memory << " bytes: the least is "
                   << least->memory->bytes << " bytes, of " << shownKeys(least->keys)
                   << (least->memory->repeated > 0 ? ", with operations that run again" : "")
                   << "; allow a rank as much, take more ranks or a smaller global batch"
                   << (takesBatchStatistics(program) && !isAccumulated()
                           ? ", or give accumulate=K, with which statistics are of micro-batches"
                           : "");
    auto first =
        llvm::find_if(answer.candidates, [](const Candidate &one) { return !one.problem.empty(); });
    return error << " that can be had: with " << shownKeys(first->keys) << ", " << first->problem;
  }

  /// Whether the keys that are given say in how many parts a batch is computed.
  bool isAccumulated() const { return StringRef(space.fixed).contains("accumulate="); }

  /// That which takes the least memory, of a few that take little as they are; null if that of none
  /// is known.
  const Candidate *findSmallest() {
    constexpr size_t few = 4;
    auto isSmaller = [](const Candidate *one, const Candidate *other) {
      return one->memory->bytes < other->memory->bytes;
    };
    std::vector<Candidate *> known;
    for (Candidate &candidate : answer.candidates)
      if (candidate.memory)
        known.push_back(&candidate);
    llvm::stable_sort(known, isSmaller);
    known.resize(std::min(known.size(), few));
    trials.findLeastMemory(known);
    auto smallest = llvm::min_element(known, isSmaller);
    return smallest == known.end() ? nullptr : *smallest;
  }

  bool fits(const Candidate &candidate) const {
    return answer.memory == 0 || (candidate.memory && candidate.memory->bytes <= answer.memory);
  }

  /// The two fastest that fit, and whose variables are proved to stay replicated; false if there is
  /// none. Of those that are alike that which changes less, and the second is the fastest that is
  /// not.
  bool choose() {
    while (chooseByTime()) {
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

  bool chooseByTime() {
    std::vector<size_t> order = ways.fastestFirst();
    llvm::erase_if(order, [&](size_t number) { return !fits(answer.candidates[number]); });
    if (order.empty())
      return false;
    auto isSlower = [&](size_t number, size_t than) {
      return double(ways.rankOf(number)) > double(ways.rankOf(than)) * kAlike;
    };
    answer.chosen = order[0];
    for (size_t number : order)
      if (number < answer.chosen && !isSlower(number, order[0]))
        answer.chosen = number;
    llvm::erase(order, answer.chosen);
    answer.second.reset();
    for (size_t number : order) {
      bool isAlike = !isSlower(number, answer.chosen);
      if (ways.rankOf(number) < ways.rankOf(answer.chosen) || (isAlike && answer.second))
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
  bool chooseAll() {
    if (!choose())
      return false;
    plan(ways.exploreAllLike(answer.chosen));
    return choose();
  }

  /// Keeps variables in parts, and gathers them once a step as far as memory goes: as many bytes
  /// as those that gather after the update, and forward computing hides them.
  void keepGathered() {
    std::string keys = findInParts();
    if (keys.empty())
      return;
    for (Candidate &found : KeptSearch(program, trials, answer.memory).find(keys)) {
      answer.priced += found.time.has_value();
      answer.candidates.push_back(std::move(found));
    }
    (void)choose();
  }

  /// The fastest keys with variables in parts that may become the best; "" if there are none.
  std::string findInParts() const {
    double most = double(answer.best().nanoseconds()) * kWorthKeeping;
    for (size_t number : ways.fastestFirst()) {
      const Candidate &candidate = answer.candidates[number];
      if (double(candidate.nanoseconds()) > most)
        break;
      std::string keys = KeptSearch::inParts(candidate.keys, space.fixed);
      if (fits(candidate) && !keys.empty())
        return keys;
    }
    return "";
  }

  /// Tries what may hide that which a step waits for, with the fastest keys by which neighbours
  /// share the model: exchanges in chunks, and several micro-batches together.
  void hideWaiting() {
    const std::string keys = findWaiting();
    if (keys.empty())
      return;
    attemptMoreOf(keys, search::exchangeInChunks);
    if (!takesBatchStatistics(program))
      attemptMoreOf(keys, search::interleave);
  }

  /// Tries `keys` with what `add` adds to them for two, and for four if two is better.
  void attemptMoreOf(const std::string &keys,
                     std::string (*add)(StringRef, const Space &, int64_t)) {
    for (int64_t count : {2, 4}) {
      Candidate candidate;
      candidate.keys = add(keys, space, count);
      if (candidate.keys.empty())
        return;
      attempt(std::move(candidate));
      if (answer.chosen + 1 != answer.candidates.size())
        return;
      alone = keys;
    }
  }

  /// The keys that take the least time of those with a mesh, if they might be the best once nothing
  /// waits; "" otherwise.
  std::string findWaiting() const {
    for (size_t number : ways.fastestFirst()) {
      const Candidate &candidate = answer.candidates[number];
      bool mayHide = !search::interleave(candidate.keys, space, 2).empty() ||
                     !search::exchangeInChunks(candidate.keys, space, 2).empty();
      if (!mayHide || !fits(candidate))
        continue;
      bool mayWin = candidate.time->compute * kAlike < answer.best().time->step;
      return mayWin ? candidate.keys : "";
    }
    return "";
  }

  /// Keeps matrices whole, or divides those that are, as long as that is faster.
  void chooseTensors() {
    TensorSearch tensors(program, trials, answer);
    while (std::optional<Candidate> better = tensors.findBetter(kAlike)) {
      answer.candidates.push_back(std::move(*better));
      size_t number = answer.candidates.size() - 1;
      if (answer.memory > 0)
        plan(number);
      if (!choose() || answer.chosen != number) {
        tensors.drop();
        break;
      }
    }
    computeAlone(tensors);
    if (explainsTensors)
      tensors.explain();
  }

  /// Tries the chosen rules without what hides waiting: matrices that are whole may leave nothing
  /// that a step waits for.
  void computeAlone(TensorSearch &tensors) {
    Candidate candidate;
    candidate.keys = alone.empty() ? "" : tensors.keysWith(alone);
    if (candidate.keys.empty())
      return;
    attempt(std::move(candidate));
    if (answer.chosen + 1 == answer.candidates.size())
      tensors.takeKeys(alone);
  }

  /// What ranks are worth: one of them takes the whole batch.
  void priceOneRank() {
    if (answer.ranks == 1)
      return;
    Candidate one;
    one.keys = space.fixed;
    trialsOfOne.distribute({&one});
    trialsOfOne.price({&one});
    if (answer.memory > 0 && one.time)
      trialsOfOne.planMemory(answer.memory, {&one});
    if (one.time && fits(one))
      answer.oneRank = std::move(one);
  }

  /// Prices one more candidate, and chooses again.
  void attempt(Candidate candidate) {
    trials.distribute({&candidate});
    for (const Candidate &other : answer.candidates)
      if (other.time && trials.areSame(other, candidate)) {
        candidate.leftOut = "it makes the same program as " + shownKeys(other.keys);
        answer.candidates.push_back(std::move(candidate));
        return;
      }
    trials.price({&candidate});
    answer.priced += candidate.time.has_value();
    answer.candidates.push_back(std::move(candidate));
    if (answer.memory > 0)
      plan(answer.candidates.size() - 1);
    (void)choose();
  }

  /// What fits, perhaps with values that are computed again; else parts of a batch, one after
  /// another.
  bool chooseWithinMemory() {
    planFastestFirst();
    if (chooseAll())
      return true;
    if (isAccumulated() || takesBatchStatistics(program))
      return false;
    for (int64_t parts = 2; parts <= kMostMicroBatches; parts *= 2) {
      ways.exploreParts(parts);
      planFastestFirst();
      if (choose())
        return true;
    }
    return false;
  }

  /// Until two fit as they are: those that are slower need not be known.
  void planFastestFirst() {
    size_t found = 0;
    std::vector<size_t> order = ways.fastestFirst();
    for (ArrayRef<size_t> left = order; !left.empty() && found < 2;) {
      ArrayRef<size_t> two = left.take_front(2);
      plan(two);
      found += llvm::count_if(two, [&](size_t number) {
        const Candidate &candidate = answer.candidates[number];
        return fits(candidate) && candidate.memory->repeated == 0;
      });
      left = left.drop_front(two.size());
    }
  }

  ModuleOp program;
  Space space;
  bool explainsTensors;
  Trials trials, trialsOfOne;
  Ways ways;
  std::set<size_t> proved; ///< or tried to be
  std::string alone;       ///< the chosen keys without micro-batches together; "" if there are none
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
