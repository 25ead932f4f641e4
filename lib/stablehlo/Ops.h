// Operations of StableHLO in generic form: what they say, read from attributes that nobody has
// registered, and how to make them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_STABLEHLO_OPS_H
#define TUTTI_LIB_STABLEHLO_OPS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace tutti::stablehlo {

// No StableHLO library is linked: operations are unregistered, and attributes such as
// #stablehlo.dot<...> are text. Everything here also works where the dialect is registered.

/// "add" for stablehlo.add, "chlo.erf" for chlo.erf, empty for an operation of another dialect.
/// What a stablehlo.custom_call of "mhlo.erf" calls is chlo.erf, too: frameworks write operations
/// of CHLO so, where a file shall have StableHLO alone.
llvm::StringRef getKind(mlir::Operation *op);

/// Whether `op` is stablehlo.`kind`.
inline bool isKind(mlir::Operation *op, llvm::StringRef kind) { return op && getKind(op) == kind; }

/// The numbers of the attribute `name`: an array, a tensor or a list of integers; empty without it.
llvm::SmallVector<int64_t> getIntegers(mlir::Operation *op, llvm::StringRef name);

/// Gives `op`, of whose first operand a part along `dimension` is left and whose other types are
/// local already, the sizes of that part where attributes say them: of slices, dynamic slices and
/// gathers that take all of the dimension, and the groups of convolutions.
void fitSizes(mlir::Operation *op, int64_t dimension);

/// The number that the attribute `name` is, or nothing.
std::optional<int64_t> getInteger(mlir::Operation *op, llvm::StringRef name);

/// The numbers of `key = [1, 2]` in the text of the attribute `name`; empty without it.
llvm::SmallVector<int64_t> getListIn(mlir::Operation *op, llvm::StringRef name,
                                     llvm::StringRef key);

/// The number of `key = 1` in the text of the attribute `name`, or nothing.
std::optional<int64_t> getIntegerIn(mlir::Operation *op, llvm::StringRef name, llvm::StringRef key);

/// The text of an attribute without its dialect, as in "dot<...>"; empty without it.
std::string getText(mlir::Attribute attribute);

/// Which dimension of each side is which: -1 is what none is.
struct ConvolutionDimensions {
  int64_t inputBatch = -1, inputFeature = -1;
  int64_t kernelInput = -1, kernelOutput = -1;
  int64_t outputBatch = -1, outputFeature = -1;
};

/// Of `#stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>`; nothing if it is written
/// otherwise.
std::optional<ConvolutionDimensions> getConvolutionDimensions(mlir::Operation *op);

/// The operation that the region of a reduction or a scatter of so many tensors is: "add" where it
/// adds its two arguments, or of several tensors each pair of them; empty if it is anything else.
llvm::StringRef getReduction(mlir::Region &region, unsigned tensors = 1);

/// Whether every element of `value` is zero, as its producers say.
bool isZero(mlir::Value value);

/// Whether every element of `value` is the same: a constant, or a scalar that is repeated.
bool isSplat(mlir::Value value);

/// An attribute of the dialect, from its text: makeAttribute(context, "conv<...>").
mlir::Attribute makeAttribute(mlir::MLIRContext *context, llvm::StringRef text);

/// stablehlo.`kind`; `attributes` are printed as its properties.
mlir::Operation *create(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef kind,
                        mlir::TypeRange results, mlir::ValueRange operands,
                        llvm::ArrayRef<mlir::NamedAttribute> attributes = {}, unsigned regions = 0);

/// A stablehlo.constant of `value`.
mlir::Value createConstant(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::DenseElementsAttr value);

/// Whether an operation within `root` names `symbol`. MLIR's own search gives up at operations that
/// are unknown.
bool isNamed(mlir::Operation *root, mlir::StringAttr symbol);

/// Fills the empty `region` with a block that gives `kind` of two scalars of type `element`.
void fillReduction(mlir::Region &region, mlir::Location loc, llvm::StringRef kind,
                   mlir::Type element);

} // namespace tutti::stablehlo

#endif // TUTTI_LIB_STABLEHLO_OPS_H
