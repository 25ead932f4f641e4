// The pass train-specialize-batch: makes the batch dimension static and infers all other types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/Passes.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/ps/Ps.h"
#include "dialects/train/EvaluationRoles.h"
#include "dialects/train/Train.h"
#include "lib/program/BatchShare.h"
#include "lib/program/BatchWork.h"
#include "passes/specialize/Specialization.h"
#include "passes/specialize/VaryBatch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tutti::train;
using tutti::program::BatchShare;

namespace tutti::specialize {
#define GEN_PASS_DEF_SPECIALIZEBATCHPASS
#include "passes/specialize/Passes.h.inc"
} // namespace tutti::specialize

using namespace tutti::specialize;
using namespace tutti::program;

/// Says which operation keeps the batch from varying (train-vary-batch).
static LogicalResult explainFixedBatch(func::FuncOp function, InFlightDiagnostic error) {
  OwningOpRef<ModuleOp> copy = function->getParentOfType<ModuleOp>().clone();
  if (std::optional<BatchObstacle> found = varyBatch(*copy))
    error.attachNote(found->location) << found->problem;
  return error;
}

/// Sets the dimension of the samples of the argument, which reads a dataset, to the batch.
static LogicalResult setBatch(func::FuncOp function, BlockArgument argument, InputAttr input,
                              int64_t batch) {
  auto type = cast<RankedTensorType>(argument.getType());
  auto fail = [&]() {
    return function.emitError("input '") << input.getName() << "' of @" << function.getName();
  };
  if (type.getRank() == 0)
    return fail() << " has no batch dimension: " << type << " is a scalar; store it in "
                  << "the model, as an initializer";
  int64_t axis = input.getAxis();
  bool isOne = type.hasStaticShape() && type.getNumElements() == 1;
  if (isOne && batch != 1)
    return fail() << " is one number, " << type << ", and no array of " << batch << " samples of "
                  << input.getDataset() << "; a number that is the same for all samples is stored "
                  << "in the model, as an initializer; one for each has a symbolic batch";
  if (!type.isDynamicDim(axis) && type.getDimSize(axis) != batch)
    return explainFixedBatch(function, fail() << " has a batch dimension of "
                                              << type.getDimSize(axis) << ", but a rank takes "
                                              << batch << " samples of " << input.getDataset()
                                              << "; export the model with a symbolic batch");
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = batch;
  argument.setType(type.clone(shape));
  return success();
}

/// Whether it is known where the samples of the operand are.
static bool hasPlacedSamples(tutti::PlacedDrawsOpInterface op) {
  auto type = cast<RankedTensorType>(op.getDrawnFor().getType());
  bool isAtZero = type.getNumDynamicDims() == 1 && type.isDynamicDim(0);
  return op.getSamples() || isAtZero;
}

/// Which numbers are drawn for a sample follows from its place.
static LogicalResult checkDraws(func::FuncOp function, InputAttr input) {
  if (input.getAxis() == 0)
    return success();
  WalkResult walked = function.walk([&](tutti::PlacedDrawsOpInterface op) {
    auto drawn = cast<tutti::UniformityOpInterface>(*op);
    if (drawn.getResultUniformity(0) != tutti::Uniformity::Varying || hasPlacedSamples(op))
      return WalkResult::advance();
    return WalkResult(
        op->emitOpError()
        << "draws for samples along dimension 0, but input '" << input.getName()
        << "' has them along dimension " << input.getAxis()
        << ": the numbers would follow from the number of ranks; transpose the input");
  });
  return failure(walked.wasInterrupted());
}

/// The samples that a rank takes of each dataset.
using BatchShares = llvm::DenseMap<StringAttr, BatchShare>;

static LogicalResult emitIndivisible(MicroBatchOp op, InputAttr input, const BatchShare &share) {
  return mlir::emitError(op.getLoc())
         << op.getParts() << " micro-batches do not divide the " << share.localBatch
         << " samples of " << input.getDataset() << " that a rank takes (global batch "
         << share.globalBatch << ", " << share.ranks << (share.ranks == 1 ? " rank" : " ranks")
         << "); change one of the three";
}

/// Fails, with an error that names global batch, ranks and parts, where `function` cuts an input
/// into more parts than divide the samples that a rank takes.
static LogicalResult checkMicroBatches(func::FuncOp function, const BatchShares &shares) {
  WalkResult walked = function.walk([&](MicroBatchOp op) {
    InputAttr input = findReadInput(op.getBatch());
    if (!input)
      return WalkResult::advance();
    auto share = shares.find(input.getDataset().getAttr());
    if (share == shares.end() || share->second.localBatch % op.getParts() == 0)
      return WalkResult::advance();
    (void)emitIndivisible(op, input, share->second);
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

bool tutti::specialize::takesWholeBatches(func::FuncOp function) {
  return llvm::any_of(llvm::seq(function.getNumResults()), [&](unsigned index) {
    return function.getResultAttr(index, kNumberOfWholeBatch) != nullptr;
  });
}

/// The samples of an input that the model fixes, if it does.
static std::optional<int64_t> fixedBatch(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    std::optional<unsigned> axis = getSampleAxis(argument);
    if (axis && !type.isDynamicDim(*axis))
      return type.getDimSize(*axis);
  }
  return std::nullopt;
}

/// Of an input, how it gets to be known.
static LogicalResult rejectOpen(func::FuncOp function, BlockArgument argument) {
  auto input = function.getArgAttrOfType<InputAttr>(argument.getArgNumber(), TrainDialect::kInput);
  if (!input)
    return function.emitError("argument ")
           << argument.getArgNumber() << " of @" << function.getName()
           << " still has an unknown dimension: " << argument.getType();
  return function.emitError("input '")
         << input.getName() << "' of @" << function.getName()
         << " still has an unknown dimension beside the batch: " << argument.getType()
         << "; its size is that of the data (--dataset), or of --size NAME=SIZE, e.g. time=128, "
            "where an ONNX model names it; in MLIR, of its type; if the samples lie along it, its "
            "name is 'batch'";
}

static LogicalResult checkStatic(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<ShapedType>(argument.getType()); type && !type.hasStaticShape())
      return rejectOpen(function, argument);
  WalkResult walked = function.walk([](Operation *op) {
    for (auto [index, type] : llvm::enumerate(op->getResultTypes())) {
      auto shaped = dyn_cast<ShapedType>(type);
      if (!shaped || (shaped.hasRank() && shaped.hasStaticShape()))
        continue;
      if (auto custom = dyn_cast<tutti::onnx::CustomOp>(op)) {
        (void)rejectCustom(custom);
        return WalkResult::interrupt();
      }
      auto error = op->emitOpError();
      if (!shaped.hasRank())
        error << "result " << index << " has no known rank: " << type;
      else
        error << "dimension "
              << llvm::find_if(shaped.getShape(), ShapedType::isDynamic) - shaped.getShape().begin()
              << " of result " << index << " is still unknown once the batch is fixed: " << type;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

namespace {
struct SpecializeBatchPass : tutti::specialize::impl::SpecializeBatchPassBase<SpecializeBatchPass> {
  using SpecializeBatchPassBase::SpecializeBatchPassBase;

  void runOnOperation() override {
    if (failed(checkOptions()) || failed(computeShares()))
      return signalPassFailure();
    llvm::StringSet<> ofServers; // which run them on as many rows as they like
    for (auto table : getOperation().getOps<tutti::ps::TableOp>())
      ofServers.insert(table.getUpdate());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!ofServers.contains(function.getName()) && failed(specialize(function)))
        return signalPassFailure();
    OpPassManager waiting(ModuleOp::getOperationName());
    if (failed(takeAtBatch(getOperation(), waiting)) ||
        (!waiting.empty() && failed(runPipeline(waiting, getOperation()))))
      signalPassFailure();
  }

  LogicalResult checkOptions() {
    if (rankClass == "ceil" || rankClass == "floor")
      return success();
    return getOperation().emitError("rank-class must be ceil or floor, got '") << rankClass << "'";
  }

  LogicalResult computeShares() {
    for (auto dataset : getOperation().getOps<DatasetOp>()) {
      if (localBatch > 0) {
        int64_t ranks =
            dataset.getShardAttr() ? std::max<int64_t>(dataset.getShardAttr().getRanks(), 1) : 1;
        int64_t samples =
            dataset.getGlobalBatch() ? int64_t(*dataset.getGlobalBatch()) : localBatch * ranks;
        shares[dataset.getSymNameAttr()] = {samples, ranks, localBatch, samples};
        largest[dataset.getSymNameAttr()] = localBatch;
        continue;
      }
      FailureOr<BatchShare> share = tutti::program::shareOf(dataset, rankClass == "ceil");
      if (failed(share))
        return failure();
      FailureOr<BatchShare> most = tutti::program::shareOf(dataset, /*isCeil=*/true);
      if (failed(most))
        return failure();
      shares[dataset.getSymNameAttr()] = *share;
      largest[dataset.getSymNameAttr()] = most->localBatch;
    }
    return success();
  }

  LogicalResult specialize(func::FuncOp function) {
    if (function.isExternal())
      return success();
    fixAxes(function);
    bool isOfWhole = tutti::specialize::takesWholeBatches(function);
    std::optional<int64_t> fixed = fixedBatch(function); // of which no rank takes another
    for (BlockArgument argument : function.getArguments()) {
      InputAttr input = findReadInput(argument);
      if (!input)
        continue;
      BatchShare share = shares.lookup(input.getDataset().getAttr());
      int64_t batch = isOfWhole ? fixed.value_or(share.globalBatch) : share.localBatch;
      if (failed(setBatch(function, argument, input, batch)) || failed(checkDraws(function, input)))
        return failure();
    }
    foldWeights(function);
    fixLengths(function);
    if (failed(checkMicroBatches(function, shares)) || failed(refineTypes(function)))
      return failure();
    return checkStatic(function);
  }

  /// What has no axes drops the dimensions that are 1 in the model. A batch of 1 is none of them.
  static void fixAxes(func::FuncOp function) {
    function.walk([](tutti::onnx::SqueezeOp op) {
      if (!op.getAxes())
        op.setAxes(op.getDroppedAxes());
    });
  }

  void foldWeights(func::FuncOp function) {
    function.walk([&](BatchWeightOp op) {
      OpBuilder builder(op);
      auto type = cast<RankedTensorType>(op.getType());
      double weight = shares.lookup(op.getDatasetAttr().getAttr()).weight();
      auto value = builder.getFloatAttr(type.getElementType(), weight);
      auto constant =
          arith::ConstantOp::create(builder, op.getLoc(), DenseElementsAttr::get(type, value));
      op.replaceAllUsesWith(constant.getResult());
      op.erase();
    });
  }

  /// Lists that are equally long on all ranks: how much longer than this rank's they are.
  void fixLengths(func::FuncOp function) {
    function.walk([&](MergeRowsOp op) {
      if (!op.getLongestAttr())
        return;
      StringAttr dataset = op.getLongestAttr().getAttr();
      op.setParts(ArrayRef<int64_t>{shares.lookup(dataset).localBatch, largest.lookup(dataset)});
      op.removeLongestAttr();
    });
  }

  BatchShares shares;
  llvm::DenseMap<StringAttr, int64_t> largest; ///< local batch of any rank
};
} // namespace
