// What stands between a model and its training, as a list for people or programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTOPT_OBSTACLES_H
#define TUTTI_TOOLS_DISTOPT_OBSTACLES_H

#include "mlir/IR/Diagnostics.h"

#include <string>
#include <vector>

namespace tutti {

/// One thing to change, and all the nodes that it concerns.
struct Obstacle {
  std::string problem, remedy;
  std::vector<std::string> nodes; ///< each once
};

class Obstacles {
public:
  /// An obstacle of the same problem is one, with one node more; `node` may be empty.
  void add(llvm::StringRef problem, llvm::StringRef remedy, llvm::StringRef node);

  /// An error: what comes after its first semicolon says what to do, or else its notes.
  void add(const mlir::Diagnostic &error);

  /// What keeps nobody from training, but should be looked at: a warning, or a text of its own.
  void addHint(llvm::StringRef problem, llvm::StringRef remedy, llvm::StringRef node);
  void addHint(const mlir::Diagnostic &warning);

  /// What the program was found to be, in a few words; those of a new compilation alone hold.
  void addFact(std::string fact) { facts.push_back(std::move(fact)); }
  void forgetFacts() { facts.clear(); }

  bool empty() const { return list.empty(); }
  size_t size() const { return list.size(); }

  /// `skipped` nodes were not looked at.
  void printText(llvm::StringRef model, int64_t skipped, llvm::raw_ostream &out) const;
  void printJson(llvm::StringRef model, int64_t skipped, llvm::raw_ostream &out) const;

private:
  std::vector<Obstacle> list, hints;
  std::vector<std::string> facts;
};

/// The name of the ONNX node at `location`, or "".
llvm::StringRef nodeOf(mlir::Location location);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTOPT_OBSTACLES_H
