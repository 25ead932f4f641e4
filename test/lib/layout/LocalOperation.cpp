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

RankedTensorType tutti::test::memoryTypeOf(Type type) {
  if (isa<IndexType>(type))
    return RankedTensorType::get({}, IntegerType::get(type.getContext(), 64));
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  for (int64_t &size : shape)
    size = ShapedType::isDynamic(size) ? kOpenSize : size;
  return RankedTensorType::get(shape, tensor.getElementType());
}

/// The type of a part of a value that had the type `whole`: what is open stays so.
static Type localTypeOf(Type whole, RankedTensorType part) {
  auto tensor = dyn_cast<RankedTensorType>(whole);
  if (!tensor)
    return whole;
  SmallVector<int64_t> shape(part.getShape());
  for (auto [size, before] : llvm::zip_equal(shape, tensor.getShape()))
    size = ShapedType::isDynamic(before) ? before : size;
  return RankedTensorType::get(shape, part.getElementType());
}

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
  SmallVector<Type> types, inferred;
  for (auto [result, part] : llvm::zip_equal(op->getResults(), results))
    types.push_back(localTypeOf(result.getType(), part));
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
    operand.set(home.addArgument(localTypeOf(operand.get().getType(), type), op->getLoc()));
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

std::string tutti::test::resultName(const std::string &name, unsigned result) {
  return name + "_" + std::to_string(result);
}

/// `to` is the value `from` of `type` as the tests hold it, or the other way round.
static void spellConversion(llvm::raw_ostream &out, const std::string &from, const std::string &to,
                            Type type, bool isHeld) {
  RankedTensorType held = memoryTypeOf(type);
  if (isa<IndexType>(type))
    out << to << "n = tensor.extract " << from << "[] : " << held << "\n"
        << to << " = arith.index_cast " << to << "n : i64 to index\n";
  else if (isHeld)
    out << to << " = tensor.cast " << from << " : " << held << " to " << type << "\n";
  else
    out << to << " = tensor.cast " << from << " : " << type << " to " << held << "\n";
}

std::string tutti::test::spell(Operation *op, const std::string &name, size_t first) {
  std::string text;
  llvm::raw_string_ostream out(text);
  auto operand = [&](size_t i) { return name + "o" + std::to_string(i); };
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes()))
    spellConversion(out, "%" + std::to_string(first + i), operand(i), type, /*isHeld=*/true);
  out << name << ":" << op->getNumResults() << " = \"" << op->getName() << "\"(";
  for (size_t i = 0; i < op->getNumOperands(); ++i)
    out << (i ? ", " : "") << operand(i);
  out << ")";
  if (Attribute properties = op->getPropertiesAsAttribute())
    out << " <" << properties << ">";
  out << " : (";
  llvm::interleaveComma(op->getOperandTypes(), out);
  out << ") -> (";
  llvm::interleaveComma(op->getResultTypes(), out);
  out << ")\n";
  for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
    spellConversion(out, name + "#" + std::to_string(i), resultName(name, i), type,
                    /*isHeld=*/false);
  return text;
}
