// collective_permute as all_to_all_vc, and back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/stablehlo/Permutation.h"

#include "lib/stablehlo/Ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;

using Pairs = SmallVector<std::pair<int64_t, int64_t>>;

static FailureOr<Pairs> readPairs(Operation *op, int64_t replicas) {
  SmallVector<int64_t> numbers = getIntegers(op, "source_target_pairs");
  Pairs pairs;
  llvm::DenseSet<int64_t> sources, targets;
  for (size_t at = 0; at + 1 < numbers.size(); at += 2) {
    int64_t source = numbers[at], target = numbers[at + 1];
    bool exist = source >= 0 && target >= 0 && source < replicas && target < replicas;
    if (!exist || !sources.insert(source).second || !targets.insert(target).second)
      return mlir::emitError(op->getLoc())
             << "'" << op->getName() << "' has the pair [" << source << ", " << target
             << "], of which one side is in another pair, or not among " << replicas << " replicas";
    pairs.emplace_back(source, target);
  }
  return pairs;
}

FailureOr<Operation *> stablehlo::readPermutation(OpBuilder &builder, Operation *op,
                                                  ReplicaGroups &groups, NamedAttrList &marks) {
  int64_t replicas = groups.getReplicas();
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  if (replicas < 1 || type.getRank() == 0 || !type.hasStaticShape())
    return mlir::emitError(op->getLoc())
           << "'" << op->getName() << "' needs a tensor with rows, and a known number of replicas; "
           << "it has " << type << " and " << replicas;
  FailureOr<Pairs> pairs = readPairs(op, replicas);
  if (failed(pairs))
    return failure();
  SmallVector<int64_t> counts(replicas * replicas, 0);
  for (auto [source, target] : *pairs)
    counts[source * replicas + target] = type.getDimSize(0);
  if (!llvm::is_sorted(*pairs))
    marks.set(kPairs, op->getAttr("source_target_pairs"));
  auto matrix = DenseIntElementsAttr::get(
      RankedTensorType::get({replicas, replicas}, builder.getI64Type()), ArrayRef(counts));
  Location loc = op->getLoc();
  Value table = arith::ConstantOp::create(builder, loc, matrix);
  Value zeros = createConstant(
      builder, loc, DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType())));
  return collective::AllToAllVCOp::create(builder, loc, type, op->getOperand(0), zeros, table,
                                          groups.get({}))
      .getOperation();
}

/// The pairs of a matrix in which each row and each column has at most one entry, `rows`.
static std::optional<Pairs> findPairs(DenseIntElementsAttr matrix, int64_t rows) {
  int64_t size = matrix.getType().getDimSize(0);
  Pairs pairs;
  llvm::DenseSet<int64_t> sources, targets;
  for (auto [at, count] : llvm::enumerate(matrix.getValues<int64_t>())) {
    if (count == 0)
      continue;
    int64_t source = at / size, target = at % size;
    if (count != rows || !sources.insert(source).second || !targets.insert(target).second)
      return std::nullopt;
    pairs.emplace_back(source, target);
  }
  return pairs;
}

FailureOr<Operation *> stablehlo::writePermutation(OpBuilder &builder, collective::AllToAllVCOp op,
                                                   Channels &channels, NamedAttrList marks) {
  auto type = dyn_cast<RankedTensorType>(op.getData().getType());
  DenseIntElementsAttr matrix;
  bool isKnown = type && type.hasStaticShape() && matchPattern(op.getCounts(), m_Constant(&matrix));
  auto group = collective::lookupGroup(op, op.getGroupAttr());
  std::optional<Pairs> pairs;
  if (isKnown && group && group.isWholeWorld() && op.getInit().getType() == type &&
      stablehlo::isZero(op.getInit()))
    pairs = findPairs(matrix, type.getDimSize(0));
  if (!pairs)
    return mlir::emitError(op.getLoc())
           << "is no collective_permute, which is all that StableHLO has: on the world, with "
              "constant "
              "counts, every rank sends all of its rows to one other rank, or nothing, into zeros";
  SmallVector<int64_t> numbers;
  for (auto [source, target] : *pairs)
    numbers.append({source, target});
  Attribute list = marks.erase(kPairs);
  if (!list)
    list = DenseIntElementsAttr::get(
        RankedTensorType::get({static_cast<int64_t>(pairs->size()), 2}, builder.getI64Type()),
        ArrayRef<int64_t>(numbers));
  SmallVector<NamedAttribute> attributes = {builder.getNamedAttr("source_target_pairs", list)};
  channels.write(builder, "collective_permute", marks, attributes);
  Operation *made = create(builder, op.getLoc(), "collective_permute", type,
                           ValueRange(op.getData()), attributes);
  made->setDiscardableAttrs(marks.getDictionary(op.getContext()));
  return made;
}
