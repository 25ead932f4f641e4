// An operation on parts of its operands: the same one, in which attributes say local sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_LIB_LAYOUT_LOCALOPERATION_H
#define TUTTI_TEST_LIB_LAYOUT_LOCALOPERATION_H

#include "dialects/interfaces/sharding/ShardingRule.h"

#include "mlir/IR/Block.h"

#include <string>

namespace tutti::test {

/// How the tests hold what `type` is: a number or an index is a tensor of one, and a size that is
/// not known is kOpenSize.
mlir::RankedTensorType memoryTypeOf(mlir::Type type);

inline constexpr int64_t kOpenSize = 6;

/// A copy of `op` in `home`, whose operands are new arguments of `home`: of one of `parts` parts
/// along `factor`, as the tests hold them; constants stay what they are. Null if the operation does
/// not take such operands, or gives other results than these.
mlir::Operation *makeLocal(mlir::Operation *op, const Factor &factor, int64_t parts,
                           llvm::ArrayRef<mlir::RankedTensorType> operands,
                           llvm::ArrayRef<mlir::RankedTensorType> results, mlir::Block &home);

/// The operation in generic form, of what the tests hold in %first, %first+1, ...; what they hold
/// of result i is called resultName(name, i).
std::string spell(mlir::Operation *op, const std::string &name, size_t first);
std::string resultName(const std::string &name, unsigned result);

std::string spell(mlir::Type type);

} // namespace tutti::test

#endif // TUTTI_TEST_LIB_LAYOUT_LOCALOPERATION_H
