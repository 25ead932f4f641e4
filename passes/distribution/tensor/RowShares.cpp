// Shares of pushes, by the index of the row modulo the number of neighbours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/distribution/tensor/RowShares.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"
#include "passes/distribution/tensor/TensorProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

static Value createNumbers(OpBuilder &builder, Location loc, RankedTensorType type,
                           ArrayRef<int64_t> numbers) {
  auto all = llvm::map_to_vector(numbers, [&](int64_t number) {
    return APInt(type.getElementTypeBitWidth(), number, /*isSigned=*/true);
  });
  return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, all));
}

template <typename Op>
static Value createNode(OpBuilder &builder, Location loc, ValueRange operands, Type type) {
  OperationState state(loc, Op::getOperationName());
  state.addOperands(operands);
  state.addTypes(type);
  return builder.create(state)->getResult(0);
}

static void shareRows(ps::PushRowsOp push, ps::TableOp table, int64_t parts,
                      FlatSymbolRefAttr neighbours) {
  OpBuilder builder(push);
  Location loc = push.getLoc();
  Value indices = push.getIndices();
  auto type = cast<RankedTensorType>(indices.getType());
  auto one = RankedTensorType::get({}, type.getElementType());
  Value all = createNumbers(builder, loc, RankedTensorType::get(parts, type.getElementType()),
                            llvm::to_vector(llvm::seq<int64_t>(0, parts)));
  Value own = takeBlock(builder, all, {0}, parts, neighbours);
  Value count = createNumbers(builder, loc, one, parts);
  Value unused = createNumbers(builder, loc, one, table.getNumRows());
  Value owner = createNode<onnx::ModOp>(builder, loc, {indices, count}, type);
  Value isOwn =
      createNode<onnx::EqualOp>(builder, loc, {owner, own}, type.clone(builder.getI1Type()));
  Value share = createNode<onnx::WhereOp>(builder, loc, {isOwn, indices, unused}, type);
  push.getIndicesMutable().assign(share);
}

LogicalResult tutti::distribution::sharePushes(Program program, int64_t parts,
                                               FlatSymbolRefAttr neighbours) {
  for (auto table : program.module.getOps<ps::TableOp>()) {
    if (table.getWhole() || table.getAsynchronous())
      return mlir::emitError(table.getLoc())
             << "table @" << table.getSymName() << " is "
             << (table.getWhole() ? "served whole, and neighbours share rows only"
                                  : "asynchronous, and neighbours have common steps")
             << "; leave mesh=tp:" << parts << " away, or serve the table otherwise";
    table.setNeighbours(parts);
  }
  auto pushes = llvm::to_vector(program.step.getOps<ps::PushRowsOp>());
  for (ps::PushRowsOp push : pushes)
    shareRows(push, program.module.lookupSymbol<ps::TableOp>(push.getTable()), parts, neighbours);
  return success();
}

//===----------------------------------------------------------------------===//
// Recognised again
//===----------------------------------------------------------------------===//

static bool isNumber(Value value, int64_t number) {
  DenseIntElementsAttr all;
  return matchPattern(value, m_Constant(&all)) && all.isSplat() && all.getType().getRank() == 0 &&
         all.getSplatValue<APInt>().getSExtValue() == number;
}

/// Whether `value` is 0, 1, ..., as many as `count` says.
static bool areNumbers(Value value, int64_t count) {
  DenseIntElementsAttr all;
  if (!matchPattern(value, m_Constant(&all)) || all.getType().getRank() != 1 ||
      all.getNumElements() != count)
    return false;
  return llvm::all_of(llvm::enumerate(all.getValues<APInt>()), [](auto number) {
    return number.value().getSExtValue() == int64_t(number.index());
  });
}

std::optional<RowShare> tutti::distribution::matchRowShare(ps::PushRowsOp push) {
  auto table = SymbolTable::lookupNearestSymbolFrom<ps::TableOp>(push, push.getTableAttr());
  auto share = push.getIndices().getDefiningOp<onnx::WhereOp>();
  if (!table || !share || !isNumber(share->getOperand(2), table.getNumRows()))
    return std::nullopt;
  RowShare found{share->getOperand(1), {}, {}, {share}};
  auto isOwn = share->getOperand(0).getDefiningOp<onnx::EqualOp>();
  auto owner = isOwn ? isOwn->getOperand(0).getDefiningOp<onnx::ModOp>() : onnx::ModOp();
  auto own = isOwn ? isOwn->getOperand(1).getDefiningOp<train::PieceOp>() : train::PieceOp();
  APInt count;
  if (!owner || !own || owner->getOperand(0) != found.indices || own.getAxis() != 0 ||
      !matchPattern(own.getCount(), m_ConstantInt(&count)) ||
      !isNumber(owner->getOperand(1), count.getSExtValue()) ||
      !areNumbers(own.getWhole(), count.getSExtValue()))
    return std::nullopt;
  found.rank = own.getIndex();
  found.count = own.getCount();
  found.own.append({isOwn, own});
  return found;
}
