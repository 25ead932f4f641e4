// An operation on parts of its operands: the same one, in which attributes say local sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/layout/LocalOperation.h"

#include "dialects/onnx/Onnx.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::test;

/// Sizes that attributes spell out are those of the local results; groups of a convolution are
/// divided.
static void setLocalSizes(Operation *op, const Factor &factor, int64_t parts,
                          ArrayRef<RankedTensorType> results) {
  ArrayRef<int64_t> shape = results.front().getShape();
  llvm::TypeSwitch<Operation *>(op)
      .Case<onnx::ReshapeOp, onnx::RandomNormalOp, onnx::RandomUniformOp>(
          [&](auto shaped) { shaped.setShape(shape); })
      .Case([&](onnx::ExpandOp expand) {
        SmallVector<int64_t> local(expand.getShape());
        for (auto [size, entry] : llvm::zip(shape.take_back(local.size()), local))
          entry = entry == -1 ? -1 : size;
        expand.setShape(local);
      })
      .Case([&](onnx::SplitOp split) {
        SmallVector<int64_t> sizes;
        for (RankedTensorType type : results)
          sizes.push_back(type.getDimSize(split.getAxis()));
        split.setSplit(sizes);
      })
      .Case<onnx::ConvOp, onnx::ConvGradOp>([&](auto convolution) {
        if (factor.name == "g")
          convolution.setGroup(convolution.getGroup() / parts);
      });
}

/// Whether the operation, whose operands are local, gives these results; sets their types.
static bool gives(Operation *op, ArrayRef<RankedTensorType> results) {
  auto inferring = dyn_cast<InferTypeOpInterface>(op);
  SmallVector<Type> types(results.begin(), results.end()), inferred;
  if (inferring &&
      failed(inferring.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                        op->getDiscardableAttrDictionary(),
                                        op->getPropertiesStorage(), op->getRegions(), inferred)))
    return false;
  if (inferring && inferred != types)
    return false;
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    result.setType(type);
  return succeeded(verify(op));
}

Operation *tutti::test::makeLocal(Operation *op, const Factor &factor, int64_t parts,
                                  ArrayRef<RankedTensorType> operands,
                                  ArrayRef<RankedTensorType> results, Block &home) {
  Operation *local = op->clone();
  home.push_back(local);
  for (auto [operand, type] : llvm::zip_equal(local->getOpOperands(), operands))
    operand.set(home.addArgument(type, op->getLoc()));
  setLocalSizes(local, factor, parts, results);
  if (auto constant = dyn_cast<onnx::ConstantOp>(local)) { // any values of that shape
    Attribute value = cast<DenseElementsAttr>(constant.getValue()).getValues<Attribute>()[0];
    constant.setValueAttr(DenseElementsAttr::get(results.front(), value));
  }
  return gives(local, results) ? local : nullptr;
}

std::string tutti::test::spell(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string tutti::test::spell(Operation *op, const std::string &name, size_t first) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << name << ":" << op->getNumResults() << " = \"" << op->getName() << "\"(";
  for (size_t i = 0; i < op->getNumOperands(); ++i)
    out << (i ? ", %" : "%") << first + i;
  out << ")";
  if (Attribute properties = op->getPropertiesAsAttribute())
    out << " <" << properties << ">";
  out << " : (";
  llvm::interleaveComma(op->getOperandTypes(), out);
  out << ") -> (";
  llvm::interleaveComma(op->getResultTypes(), out);
  out << ")\n";
  return text;
}
