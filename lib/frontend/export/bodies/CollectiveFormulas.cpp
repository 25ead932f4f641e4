// Collectives in the operators of ONNX Runtime, which reduce by sums, and gather what lies at a
// rank's own place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/CollectiveNodes.h"
#include "lib/frontend/export/bodies/FormulaText.h"

#include "dialects/collective/Collective.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;

static std::optional<int64_t> setSize(Operation *op, FlatSymbolRefAttr name) {
  auto group = SymbolTable::lookupNearestSymbolFrom<collective::GroupOp>(op, name);
  return group ? group.getSetSize() : std::nullopt;
}

/// The number of ranks, an int64 scalar: the sum of as many ones.
static std::string ranks(Operation *op, FlatSymbolRefAttr name, int64_t type) {
  if (std::optional<int64_t> size = setSize(op, name))
    return std::to_string(*size);
  return "Cast<to = 7>(com.microsoft.NcclAllReduce<group_type = " + std::to_string(type) +
         ">(Cast<to = 1>(1)))";
}

/// One node for all inputs of one element type; a mean is a sum that is divided by the ranks.
static LogicalResult write(collective::AllReduceOp op, FormulaText &text) {
  using collective::ReductionKind;
  if (op.getReduction() != ReductionKind::sum && op.getReduction() != ReductionKind::mean)
    return refuseExport(op, "collectives of ONNX Runtime sum; there is none for " +
                                collective::stringifyReductionKind(op.getReduction()));
  FailureOr<int64_t> type = findGroupType(op, op.getGroupAttr());
  if (failed(type) || failed(checkNcclTypes(op)))
    return failure();
  text << "ranks = " + ranks(op, op.getGroupAttr(), *type);
  llvm::MapVector<Type, SmallVector<unsigned>> byType;
  for (auto [index, input] : llvm::enumerate(op.getInputs()))
    byType[tensorType(input).getElementType()].push_back(index);
  bool isMean = op.getReduction() == ReductionKind::mean;
  for (const auto &[element, members] : byType) {
    std::string inputs, sums;
    for (unsigned index : members) {
      inputs += (inputs.empty() ? "x" : ", x") + std::to_string(index);
      sums += (sums.empty() ? "s" : ", s") + std::to_string(index);
    }
    text << sums + " = com.microsoft.NcclAllReduce<group_type = " + std::to_string(*type) + ">(" +
                inputs + ")";
    for (unsigned index : members) {
      std::string number = std::to_string(index);
      text << "y" + number + " = s" + number +
                  (isMean ? " / CastLike(ranks, x" + number + ")" : "");
    }
  }
  return success();
}

/// A dimension of size `count` moves from the front to `axis`, or from there to the front.
static std::string move(const std::string &value, int64_t rank, int64_t axis, bool toFront) {
  if (axis == 0)
    return value;
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < rank; ++i)
    order.push_back(toFront ? (i == 0      ? axis
                               : i <= axis ? i - 1
                                           : i)
                            : (i < axis    ? i + 1
                               : i == axis ? 0
                                           : i));
  return "Transpose<perm = " + FormulaText::list(order) + ">(" + value + ")";
}

static LogicalResult checkStatic(Operation *op) {
  for (Value operand : op->getOperands())
    if (!tensorType(operand).hasStaticShape())
      return refuseExport(op, "the type " + spell(operand.getType()) + " varies; fix the batch");
  return success();
}

/// ONNX Runtime's gathers what each rank has at its own place of one long tensor, in parts of whole
/// 32 bytes: so each rank repeats its input as often as there are ranks.
static void writeGather(Value input, unsigned index, int64_t axis, int64_t type,
                        FormulaText &text) {
  RankedTensorType tensor = tensorType(input);
  std::string n = std::to_string(index);
  int64_t count = tensor.getNumElements();
  int64_t perPart = 32 * 8 / tensor.getElementTypeBitWidth();
  int64_t length = llvm::divideCeil(count, perPart) * perPart;
  SmallVector<int64_t> parts = {-1}, joined(tensor.getShape());
  llvm::append_range(parts, tensor.getShape());
  joined[axis] = -1;
  text << "f" + n + " = Pad(Reshape(x" + n + ", [-1]), " + FormulaText::list({0, length - count}) +
              ")";
  text << "a" + n + " = com.microsoft.NcclAllGather<group_type = " + std::to_string(type) +
              ">(Tile(f" + n + ", ranks))";
  text << "p" + n + " = Slice(Reshape(a" + n + ", " + FormulaText::list({-1, length}) + "), [0], " +
              FormulaText::list({count}) + ", [1])";
  std::string split = "Reshape(p" + n + ", " + FormulaText::list(parts) + ")";
  text << "y" + n + " = Reshape(" + move(split, tensor.getRank() + 1, axis, /*toFront=*/false) +
              ", " + FormulaText::list(joined) + ")";
}

static LogicalResult write(collective::AllGatherOp op, FormulaText &text) {
  FailureOr<int64_t> type = findGroupType(op, op.getGroupAttr());
  if (failed(type) || failed(checkNcclTypes(op)) || failed(checkStatic(op)))
    return failure();
  text << "ranks = Unsqueeze(" + ranks(op, op.getGroupAttr(), *type) + ", [0])";
  for (auto [index, input] : llvm::enumerate(op.getInputs()))
    writeGather(input, index, static_cast<int64_t>(op.getAxis()), *type, text);
  return success();
}

/// The number of ranks of the world, which AllToAll must know; failure after a diagnostic.
static FailureOr<int64_t> knownRanks(Operation *op, FlatSymbolRefAttr name) {
  FailureOr<int64_t> type = findGroupType(op, name);
  if (failed(type) || failed(checkNcclTypes(op)) || failed(checkStatic(op)))
    return failure();
  std::optional<int64_t> size = setSize(op, name);
  if (*type == 0 && size)
    return *size;
  return refuseExport(op, *type == 0
                              ? "AllToAll of ONNX Runtime, which stands for it, must know the "
                                "number of ranks; fix it first "
                                "(--specialize-world=ranks=N)"
                              : "AllToAll of ONNX Runtime, which stands for it, is among all "
                                "ranks");
}

/// What every rank sends to each: `x` cut along `axis`, the parts numbered by a new dimension 0.
static std::string exchanged(Value input, unsigned index, int64_t axis, int64_t size) {
  SmallVector<int64_t> parts(tensorType(input).getShape());
  parts[axis] /= size;
  parts.insert(parts.begin() + axis, size);
  std::string cut = "Reshape(x" + std::to_string(index) + ", " + FormulaText::list(parts) + ")";
  return "com.microsoft.AllToAll<group_size = " + std::to_string(size) + ">(" +
         move(cut, static_cast<int64_t>(parts.size()), axis, /*toFront=*/true) + ")";
}

/// Its NcclReduceScatter leaves whole tensors to ranks, so parts of one are exchanged and summed.
static LogicalResult write(collective::ReduceScatterOp op, FormulaText &text) {
  using collective::ReductionKind;
  bool isMean = op.getReduction() == ReductionKind::mean;
  if (op.getReduction() != ReductionKind::sum && !isMean)
    return refuseExport(op, "only sums and means are written");
  FailureOr<int64_t> size = knownRanks(op, op.getGroupAttr());
  if (failed(size))
    return failure();
  std::string divided = isMean ? " / " + FormulaText::number(static_cast<double>(*size)) : "";
  for (auto [index, input] : llvm::enumerate(op.getInputs()))
    text << "y" + std::to_string(index) + " = ReduceSum<keepdims = 0>(" +
                exchanged(input, index, static_cast<int64_t>(op.getAxis()), *size) + ", [0])" +
                divided;
  return success();
}

static LogicalResult write(collective::AllToAllOp op, FormulaText &text) {
  FailureOr<int64_t> size = knownRanks(op, op.getGroupAttr());
  if (failed(size))
    return failure();
  int64_t split = static_cast<int64_t>(op.getSplitAxis()),
          concat = static_cast<int64_t>(op.getConcatAxis());
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    RankedTensorType type = tensorType(input);
    SmallVector<int64_t> joined(type.getShape());
    joined[split] /= *size;
    joined[concat] *= *size;
    text << "y" + std::to_string(index) + " = Reshape(" +
                move(exchanged(input, index, split, *size), type.getRank() + 1, concat,
                     /*toFront=*/false) +
                ", " + FormulaText::list(joined) + ")";
  }
  return success();
}

static LogicalResult write(collective::SizeOp op, FormulaText &text) {
  FailureOr<int64_t> type = findGroupType(op, op.getGroupAttr());
  if (failed(type))
    return failure();
  text << "y0 = " + ranks(op, op.getGroupAttr(), *type);
  return success();
}

static LogicalResult write(collective::RankOp op, FormulaText &) {
  return refuseExport(op,
                      "no operator of ONNX Runtime gives the number of a rank, by which parts of "
                      "variables are found; distribute with shard-optimizer=0");
}

static LogicalResult write(collective::FlattenOp op, FormulaText &text) {
  int64_t count = tensorType(op.getInput()).getNumElements();
  int64_t length = tensorType(op.getOutput()).getNumElements();
  text << "y0 = Pad(Reshape(x0, [-1]), " + FormulaText::list({0, length - count}) + ")";
  return success();
}

static LogicalResult write(collective::UnflattenOp op, FormulaText &text) {
  RankedTensorType type = tensorType(op.getOutput());
  text << "y0 = Reshape(Slice(x0, [0], " + FormulaText::list({type.getNumElements()}) + ", [0]), " +
              FormulaText::list(type.getShape()) + ")";
  return success();
}

LogicalResult tutti::frontend::writeCollectiveFormula(Operation *op, FormulaText &text) {
  for (Value value : op->getOperands())
    if (!isa<RankedTensorType>(value.getType()))
      return refuseExport(op, "it has an operand of type " + spell(value.getType()) +
                                  ", which no operator of ONNX Runtime takes");
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<collective::AllReduceOp, collective::AllGatherOp, collective::ReduceScatterOp,
            collective::AllToAllOp, collective::RankOp, collective::SizeOp, collective::FlattenOp,
            collective::UnflattenOp>([&](auto known) { return write(known, text); })
      .Default([](Operation *unknown) {
        return refuseExport(unknown,
                            "ONNX Runtime sums over ranks, gathers, and sends, and none of "
                            "that does this; export the program before the pass that "
                            "made it");
      });
}
