// What a program says of itself to passes that come later. Apart from Train.h because few ask.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_PROGRAMCLAIMS_H
#define TUTTI_TRAIN_PROGRAMCLAIMS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tutti::train {

/// A unit attribute of a program whose gradients are sums over ranks, as losses that are sums over
/// samples have them. Without it gradients are means.
inline constexpr llvm::StringLiteral kSumsGradients = "train.sums_gradients";

/// The location of an operation that works on a whole batch, of a program whose batch cannot vary.
/// Several ranks would each give it a batch of their own, which is another program than that of one
/// device; so the program is refused when it is specialised for them.
inline constexpr llvm::StringLiteral kFixedBatch = "train.fixed_batch";

/// An array of strings: passes that `train-specialize-batch` runs, in order, once it is known how
/// many samples a rank takes.
inline constexpr llvm::StringLiteral kAtBatch = "train.at_batch";

/// The mesh of a program that is to be cut among neighbouring ranks once the number of ranks is
/// known: two numbers on a module, how many groups of neighbours there are (0: as many as the ranks
/// make), and how many ranks each has.
inline constexpr llvm::StringLiteral kMesh = "train.mesh";

/// The same of a program that is cut: each sharded variable is a block of one dimension of the
/// whole then, and neighbours hold the blocks in order: rank r has block r modulo this number.
inline constexpr llvm::StringLiteral kTensorParts = "train.tensor_parts";

/// Of such a program the variables, by name, whose dimension is several equal ranges one after the
/// other, and how many: a rank has its block of each of them. So are query, key and value in one
/// matrix, of which it has its heads.
inline constexpr llvm::StringLiteral kTensorRanges = "train.tensor_ranges";

/// That number, of a variable of `module`; 1 where the dimension is one range.
inline int64_t getTensorRanges(mlir::Operation *module, llvm::StringRef variable) {
  auto all = module->getAttrOfType<mlir::DictionaryAttr>(kTensorRanges);
  auto ranges = all ? all.getAs<mlir::IntegerAttr>(variable) : mlir::IntegerAttr();
  return ranges ? ranges.getInt() : 1;
}

/// Of such a program the variables, by name, of whose block the ranks that have the same one keep a
/// flat part each, and the shape of that block, which is the whole where neighbours do not divide
/// it. Of N ranks in blocks of T neighbours rank r has part r / T of N / T.
inline constexpr llvm::StringLiteral kTensorBlocks = "train.tensor_blocks";

/// The shape of that block, of a variable of `module`; none if each rank has the block itself.
inline std::optional<llvm::ArrayRef<int64_t>> findTensorBlock(mlir::Operation *module,
                                                              llvm::StringRef variable) {
  auto all = module->getAttrOfType<mlir::DictionaryAttr>(kTensorBlocks);
  auto block = all ? all.getAs<mlir::DenseI64ArrayAttr>(variable) : mlir::DenseI64ArrayAttr();
  return block ? std::optional(block.asArrayRef()) : std::nullopt;
}

/// How many of `size` entries each of `parts` equal blocks has. Where `parts` does not divide them,
/// the last blocks are filled up with zeros.
inline int64_t getBlockSize(int64_t size, int64_t parts) { return (size + parts - 1) / parts; }

/// The dimension along which a part of the shape `part` is one of `parts` equal blocks of `whole`,
/// the last of which may be filled up; -1 if it is none.
inline int64_t findCutDimension(llvm::ArrayRef<int64_t> part, llvm::ArrayRef<int64_t> whole,
                                int64_t parts) {
  if (part.size() != whole.size())
    return -1;
  int64_t found = -1;
  for (int64_t i = 0; i < int64_t(part.size()); ++i) {
    if (part[i] == whole[i])
      continue;
    if (found >= 0 || part[i] != getBlockSize(whole[i], parts))
      return -1;
    found = i;
  }
  return found;
}

/// Whether `part` is the shape of one of `parts` blocks of a dimension of `whole`, which is `outer`
/// equal ranges of which each is divided. Blocks of several ranges are not filled up.
inline bool isBlock(llvm::ArrayRef<int64_t> part, llvm::ArrayRef<int64_t> whole, int64_t parts,
                    int64_t outer) {
  int64_t dimension = findCutDimension(part, whole, parts);
  if (dimension < 0 || outer < 1)
    return false;
  return outer == 1 || whole[dimension] % (outer * parts) == 0;
}

} // namespace tutti::train

#endif // TUTTI_TRAIN_PROGRAMCLAIMS_H
