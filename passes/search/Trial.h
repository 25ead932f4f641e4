// One candidate, made by the real passes and priced by the real model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_SEARCH_TRIAL_H
#define TUTTI_PASSES_SEARCH_TRIAL_H

#include "passes/search/Search.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <map>
#include <mutex>

namespace tutti::search {

/// Makes candidates of one program. What passes say meanwhile is kept from the user. Each member
/// function takes candidates that differ, and works on all of them at once where the context has
/// threads; what it finds does not depend on how many.
class Trials {
public:
  /// Of `program`, which is one of a single device and stays as it is, for `ranks` ranks, whose
  /// optimizer states may be in a file; keeps a reference to `cluster`.
  Trials(mlir::ModuleOp program, const cost::Cluster &cluster, int64_t ranks, bool offloadsStates)
      : program(program), cluster(cluster), ranks(ranks), offloadsStates(offloadsStates) {}

  using Some = llvm::ArrayRef<Candidate *>;

  /// Fills in plan and bytes, or the problem.
  void distribute(Some candidates);

  /// Fills in the time of a candidate that is distributed, or the problem: it is that which
  /// collective-emit-plan predicts for the program that these keys make.
  void price(Some candidates);

  /// Whether the steps of two that are distributed are the same.
  bool areSame(const Candidate &one, const Candidate &other) const;

  /// In how many ranges neighbours divide a variable of one that is distributed.
  int64_t rangesOf(const Candidate &candidate, llvm::StringRef variable) const;

  /// Proves that variables stay replicated; fills in the problem of a candidate if that fails.
  void prove(Some candidates);
  bool isProved(const Candidate &candidate);

  /// Fills in the memory of a rank, or the problem. If that is more than `limit`, which is not 0,
  /// computing values again is tried as far as it helps.
  void planMemory(int64_t limit, Some candidates);

  /// Makes the memory of candidates, which is known, the least that a rank can have them in, with
  /// as many values computed again as that takes.
  void findLeastMemory(Some candidates);

private:
  using Program = mlir::OwningOpRef<mlir::ModuleOp>;

  /// What candidates have in common: what the passes make that need no number of ranks, and the
  /// first that does.
  struct Start {
    std::once_flag made;
    Program program; ///< null if a pass refuses it
    std::string problem;
  };

  void forEach(Some candidates, llvm::function_ref<void(Candidate &)> work);
  Start &startOf(const std::string &passes);
  void begin(Start &start, mlir::PassManager &passes, llvm::ArrayRef<std::string> atLaunch);
  Program makeProgram(Candidate &candidate);
  void distributeOne(Candidate &candidate, Program &step);
  llvm::LogicalResult proveForAnyRanks(Candidate &candidate);
  void priceOne(Candidate &candidate);
  Program makeStatic(Candidate &candidate);
  void planMemoryOfOne(int64_t limit, Candidate &candidate);
  int64_t leastArenaOf(mlir::ModuleOp module);
  void findLeastMemoryOfOne(Candidate &candidate);

  mlir::ModuleOp program;
  const cost::Cluster &cluster;
  int64_t ranks;
  bool offloadsStates;
  std::mutex mutex;                     ///< of `starts`
  std::map<std::string, Start> starts;  ///< by their passes: many candidates begin alike
  std::map<std::string, Program> steps; ///< by keys: static, and not lowered
};

} // namespace tutti::search

#endif // TUTTI_PASSES_SEARCH_TRIAL_H
