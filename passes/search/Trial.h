// One candidate, made by the real passes and priced by the real model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_SEARCH_TRIAL_H
#define TUTTI_PASSES_SEARCH_TRIAL_H

#include "passes/search/Search.h"

#include "mlir/IR/OwningOpRef.h"

#include <map>

namespace tutti::search {

/// Makes candidates of one program. What passes say meanwhile is kept from the user.
class Trials {
public:
  /// Of `program`, which is one of a single device and stays as it is, for `ranks` ranks; keeps a
  /// reference to `cluster`.
  Trials(mlir::ModuleOp program, const cost::Cluster &cluster, int64_t ranks)
      : program(program), cluster(cluster), ranks(ranks) {}

  /// Fills in time, plan and bytes of `candidate`, or its problem: the time is that which
  /// collective-emit-plan predicts for the program that these keys make.
  void price(Candidate &candidate);

  /// Fills in the memory of a rank, or the problem. If that is more than `limit`, which is not 0,
  /// computing values again is tried as far as it helps.
  void planMemory(int64_t limit, Candidate &candidate);

private:
  /// What the passes make that need no number of ranks.
  struct Start {
    mlir::OwningOpRef<mlir::ModuleOp> program; ///< null if a pass refuses it
    std::string problem;
  };

  mlir::OwningOpRef<mlir::ModuleOp> distribute(Candidate &candidate);
  mlir::LogicalResult makeStatic(mlir::ModuleOp module, std::string &problem);

  mlir::ModuleOp program;
  const cost::Cluster &cluster;
  int64_t ranks;
  std::map<std::string, Start> starts; ///< by their passes: many candidates begin alike
};

} // namespace tutti::search

#endif // TUTTI_PASSES_SEARCH_TRIAL_H
