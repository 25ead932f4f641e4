// Chooses the keys of --distribute for a program and a cluster, and says why.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_SEARCH_SEARCH_H
#define TUTTI_PASSES_SEARCH_SEARCH_H

#include "lib/cost/Timeline.h"
#include "lib/program/plan/Plan.h"
#include "passes/planning/MemoryChoice.h"

#include "mlir/IR/BuiltinOps.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace tutti::search {

/// What is asked.
struct Question {
  std::string keys;    ///< of --distribute, what is fixed; without those of the search itself
  std::string cluster; ///< the file that describes the cluster
  int64_t ranks = 0;   ///< 0: those of the cluster
  int64_t memory = 0;  ///< bytes that a rank may have; 0: no limit
  bool explainsTensors = false; ///< find the second best of each tensor, too
  bool offloadsStates = false;  ///< states of optimizers may lie in a file
};

/// Times that differ by a smaller factor are alike: no prediction is as exact.
constexpr double kAlike = 1.001;

/// One way to distribute the program.
struct Candidate {
  std::string keys;                   ///< all of them, as --distribute takes them
  std::optional<cost::StepTime> time; ///< none if it is refused or left out
  double leastTravel = 0;             ///< seconds that its bytes take if nothing else does
  std::optional<int64_t> bytes;       ///< that a rank communicates in a step; none if not known
  std::optional<planning::MemoryNeed> memory; ///< none if nobody had to know
  std::string problem;                        ///< why it cannot be had, or does not fit
  std::string leftOut;                        ///< why it was not tried
  std::vector<program::PlanEntry> plan;       ///< with predicted times, of the step on one rank

  /// Nanoseconds of a step, with what keeps it to the memory: by these candidates are compared, and
  /// these are printed.
  int64_t nanoseconds() const;
};

/// How neighbours keep a variable, or several of one name but for numbers, and what else they
/// could do.
struct TensorChoice {
  std::string pattern; ///< names them, in rules of tensor=
  int64_t count = 0;
  std::string form = "in parts"; ///< for what no rule says; else "whole", "along 1"
  std::string otherForm;         ///< the second best; empty: there is none
  Candidate second;              ///< with the rules that ask for it
  std::string problem;           ///< why there is no second best
};

/// What was found.
struct Answer {
  int64_t ranks = 0;
  std::string cluster;
  int64_t memory = 0; ///< the limit
  std::deque<Candidate> candidates;
  size_t chosen = 0;            ///< in them
  std::optional<size_t> second; ///< the next that fits, if there is another
  /// With the given keys; none if these are not for one rank, or it does not fit.
  std::optional<Candidate> oneRank;
  std::vector<TensorChoice> tensors; ///< where that was asked for, and the best divides the model
  int64_t priced = 0;
  double seconds = 0; ///< that the search took

  const Candidate &best() const { return candidates[chosen]; }
  /// Whether one rank is known to be as fast as all of them, but for what is within the exactness
  /// of predictions.
  bool isAsFastOnOneRank() const;
  /// "chose KEYS: 1.234567 ms a step ...; for 4 ranks, ...; second best KEYS2: ..., 0.1 ms more:
  /// why".
  std::string summary() const;
  /// One line of each candidate, the fastest first, then those that were refused or left out; and
  /// of each tensor, and what one rank takes.
  std::vector<std::string> lines() const;
  /// Both, as a table for people, which ends with a line break.
  std::string table() const;
};

/// Adds the dialects that the passes make which a search tries.
void addTriedDialects(mlir::DialectRegistry &registry);

/// Tries and chooses. `program` is one of a single device, and stays as it is. Fails with an error
/// at the program if nothing can be had, the cluster file cannot be read, or there is none. Its
/// context needs `registerAllStages`; from within a pass, it needs those of `addTriedDialects`
/// loaded. Tries several candidates at once if the context has threads.
mlir::FailureOr<Answer> searchDistribution(mlir::ModuleOp program, const Question &question);

/// `keys` as people write them, for a message: "(the defaults)" for none.
std::string shownKeys(llvm::StringRef keys);

/// What makes `other` slower than `best`: by how much more it computes, by how much longer it waits
/// for communication, and which collectives differ most.
std::string explainDifference(const Candidate &best, const Candidate &other);

} // namespace tutti::search

#endif // TUTTI_PASSES_SEARCH_SEARCH_H
