// Whose weights folded copies are, where their names do not say it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_VALUES_COPYOWNERS_H
#define TUTTI_LIB_FRONTEND_MODEL_VALUES_COPYOWNERS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <optional>
#include <string>

namespace tutti::frontend {

/// Whose a folded copy is, as far as the graph tells: the bias that is added to its product, else
/// the module whose call its node is.
struct CopyOwner {
  std::string name;
  std::string likeness; ///< of a bias what it is equal to; of a module its name without numbers
  std::string call;     ///< of a module
  bool isBias;

  /// `values`: the initializer that has the values of the bias.
  static CopyOwner ofBias(llvm::StringRef bias, llvm::StringRef values);
  /// The module of a node that PyTorch named, `/layers.0/fc_1/MatMul`; none if names do not tell of
  /// modules.
  static std::optional<CopyOwner> ofNode(llvm::StringRef name);
};

/// Weights that begin alike, of which the file has one folded copy.
struct EqualCopies {
  bool arePlain = false; ///< of one or two values, which others may have, too

  /// Adds the weight that `copy` stands for, or finds it among those that are known; its name. None
  /// if nothing tells. A layer that was copied has a bias of equal values, or stands in a list with
  /// the first; one weight of two layers has biases of other values. In one call of a module two
  /// weights may be all zeros.
  std::optional<std::string> place(const std::optional<CopyOwner> &owner, llvm::StringRef copy);

private:
  llvm::StringMap<std::string> byOwner; ///< the copy that stands for a weight, by its owner
  llvm::StringMap<std::string> byLikeness;
  llvm::StringSet<> calls;
  std::optional<bool> haveBias; ///< whether all owners are biases; none before the first
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_VALUES_COPYOWNERS_H
