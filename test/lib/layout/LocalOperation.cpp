// An operation on parts of its operands: the same one, in which attributes say local sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/layout/LocalOperation.h"

#include "dialects/onnx/Onnx.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::test;

RankedTensorType tutti::test::memoryTypeOf(Type type) {
  if (isa<IndexType>(type))
    type = IntegerType::get(type.getContext(), 64);
  if (type.isIntOrFloat())
    return RankedTensorType::get({}, type);
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
      .Case([&](tensor::ExpandShapeOp expand) { expand.setStaticOutputShape(shape); })
      .Case([&](tensor::ExtractSliceOp slice) { slice.setStaticSizes(shape); })
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
  for (auto [operand, type] : llvm::zip_equal(local->getOpOperands(), operands)) {
    Value argument = home.addArgument(localTypeOf(operand.get().getType(), type), op->getLoc());
    if (Operation *constant = operand.get().getDefiningOp()) {
      home.push_front(constant->clone());
      argument = home.front().getResult(0);
    }
    operand.set(argument);
  }
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

/// Spells what makes `to`, a value of `type`, of `from`, which the tests hold.
static void spellTaking(llvm::raw_ostream &out, Value value, const std::string &from,
                        const std::string &to) {
  Type type = value.getType();
  RankedTensorType held = memoryTypeOf(type);
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    out << to << " = arith.constant " << constant << "\n";
  else if (isa<IndexType>(type))
    out << to << "n = tensor.extract " << from << "[] : " << held << "\n"
        << to << " = arith.index_cast " << to << "n : i64 to index\n";
  else if (!isa<RankedTensorType>(type))
    out << to << " = tensor.extract " << from << "[] : " << held << "\n";
  else
    out << to << " = tensor.cast " << from << " : " << held << " to " << type << "\n";
}

/// Spells what makes `to`, which the tests hold, of `from`, a value of `type`.
static void spellGiving(llvm::raw_ostream &out, Type type, const std::string &from,
                        const std::string &to) {
  RankedTensorType held = memoryTypeOf(type);
  if (isa<IndexType>(type))
    out << to << "n = arith.index_cast " << from << " : index to i64\n"
        << to << " = tensor.from_elements " << to << "n : " << held << "\n";
  else if (!isa<RankedTensorType>(type))
    out << to << " = tensor.from_elements " << from << " : " << held << "\n";
  else
    out << to << " = tensor.cast " << from << " : " << type << " to " << held << "\n";
}

/// The regions of an operation, whose values are called as nothing around it is.
static std::string spellRegions(Operation *op) {
  std::string text, renamed;
  llvm::raw_string_ostream out(text);
  op->print(out, OpPrintingFlags().printGenericOpForm().useLocalScope());
  if (op->getNumRegions() == 0)
    return "";
  StringRef regions = StringRef(text).substr(text.find(" ({"));
  for (char letter : regions.take_front(regions.rfind("}) :") + 2))
    renamed += letter == '%' ? "%in" : std::string(1, letter);
  return renamed;
}

std::string tutti::test::spell(Operation *op, const std::string &name, size_t first) {
  std::string text;
  llvm::raw_string_ostream out(text);
  auto operandName = [&](size_t i) { return name + "o" + std::to_string(i); };
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    spellTaking(out, operand, "%" + std::to_string(first + i), operandName(i));
  out << name << ":" << op->getNumResults() << " = \"" << op->getName() << "\"(";
  for (size_t i = 0; i < op->getNumOperands(); ++i)
    out << (i ? ", " : "") << operandName(i);
  out << ")";
  if (Attribute properties = op->getPropertiesAsAttribute())
    out << " <" << properties << ">";
  out << spellRegions(op) << " : (";
  llvm::interleaveComma(op->getOperandTypes(), out);
  out << ") -> (";
  llvm::interleaveComma(op->getResultTypes(), out);
  out << ")\n";
  for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
    spellGiving(out, type, name + "#" + std::to_string(i), resultName(name, i));
  return text;
}
