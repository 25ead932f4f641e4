// convert-collective-to-mpi: collectives on memrefs as calls of functions that exchange messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/conversion/Passes.h"
#include "passes/conversion/mpi/Exchange.h"
#include "passes/conversion/mpi/Flat.h"
#include "passes/conversion/mpi/Standalone.h"
#include "passes/conversion/mpi/Team.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tutti::conversion {
#define GEN_PASS_DEF_COLLECTIVETOMPIPASS
#include "passes/conversion/Passes.h.inc"
} // namespace tutti::conversion

using namespace mlir;
using namespace tutti;
using namespace tutti::conversion;

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

static LogicalResult checkAxis(Operation *op, int64_t axis) {
  if (axis == 0)
    return success();
  return mlir::emitError(op->getLoc())
         << "joins or cuts along axis " << axis << ", but buffers are joined and cut along axis 0; "
         << "run lower-collective-axes before bufferization";
}

static LogicalResult checkAxes(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<collective::AllGatherOp, collective::GatherOp, collective::ReduceScatterOp,
            collective::ScatterOp>([&](auto along) { return checkAxis(op, along.getAxis()); })
      .Case([&](collective::AllToAllOp exchange) {
        return success(succeeded(checkAxis(op, exchange.getSplitAxis())) &&
                       succeeded(checkAxis(op, exchange.getConcatAxis())));
      })
      .Default([](Operation *) { return success(); });
}

static LogicalResult checkBuffer(Operation *op, Type type) {
  if (isa<TensorType>(type))
    return mlir::emitError(op->getLoc())
           << "is on tensors, and MPI knows memory only; run one-shot-bufferize before";
  auto buffer = dyn_cast<MemRefType>(type);
  if (buffer && buffer.getMemorySpace())
    return mlir::emitError(op->getLoc())
           << "is on " << buffer << "; expected memory of the host, which has no memory space";
  if (buffer && buffer.hasStaticShape() && !llvm::isInt<32>(buffer.getNumElements()))
    return mlir::emitError(op->getLoc())
           << "is on " << buffer << ", of more elements than the 2147483647 that upstream's MPI "
           << "dialect counts; cut it into parts";
  return success();
}

static LogicalResult checkBuffers(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (failed(checkBuffer(op, type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(checkBuffer(op, type)))
      return failure();
  return success();
}

static LogicalResult checkApart(Operation *op) {
  bool isApart = op->hasAttr(collective::kFuture) || isa<collective::AsyncOp>(op->getParentOp());
  if (!isApart || !isa<PointToPointOpInterface>(op))
    return success();
  return mlir::emitError(op->getLoc())
         << "is a message beside computation, which may meet another one later; upstream's MPI "
            "dialect has messages only that block";
}

//===----------------------------------------------------------------------===//
// One operation after the other
//===----------------------------------------------------------------------===//

namespace {
class Conversion {
public:
  /// With `ranksPerNode` of 0 nobody may ask for nodes.
  Conversion(ModuleOp module, SymbolTable &symbols, int64_t ranksPerNode)
      : teams(module, symbols), exchanges(module, symbols, teams), ranksPerNode(ranksPerNode) {}

  LogicalResult run(Operation *op) {
    if (failed(checkBuffers(op)) || failed(checkAxes(op)) || failed(checkApart(op)))
      return failure();
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](BucketOpInterface bucket) { return convert(bucket, builder); })
        .Case<collective::AllToAllVOp, collective::AllToAllVCOp>(
            [&](auto rows) { return convertRows(rows, builder); })
        .Case([&](collective::SendOp send) {
          return convertMessage(send, send.getInputs(), builder);
        })
        .Case([&](collective::RecvOp receive) {
          return convertMessage(receive, receive.getDestinations(), builder);
        })
        .Case([&](collective::BarrierOp) { return call(op, builder.getI8Type(), {}, builder); })
        .Case<collective::RankOp, collective::SizeOp, collective::TranslateRankOp>(
            [&](auto question) { return answer(question, builder); })
        .Case<collective::LocalRankOp, collective::LocalSizeOp>(
            [&](auto question) { return answerOfNode(question, builder); })
        .Case<collective::CreateGroupOp, collective::DestroyGroupOp>(
            [&](auto lifetime) { return make(lifetime, op->getOperands(), builder); })
        .Case([&](collective::FlattenOp flatten) {
          writeFlattened(builder, flatten.getInput(), flatten.getDestination());
          return success();
        })
        // All that is started is complete when its functions have returned.
        .Case<collective::CompleteOp, collective::YieldOp, collective::AwaitOp,
              collective::AsyncOp>([](auto) { return success(); })
        .Default([](Operation *other) {
          return mlir::emitError(other->getLoc())
                 << "MPI's dialect has no equal of " << other->getName();
        });
  }

private:
  LogicalResult call(Operation *op, Type element, ValueRange arguments,
                     ImplicitLocOpBuilder &builder) {
    FailureOr<func::FuncOp> function = exchanges.get(op, element);
    if (failed(function))
      return failure();
    func::CallOp::create(builder, *function, arguments);
    return success();
  }

  LogicalResult convert(BucketOpInterface op, ImplicitLocOpBuilder &builder) {
    for (auto [input, destination] : llvm::zip_equal(op.getInputs(), op.getDestinations())) {
      FlatBuffer from(builder, input, /*isWritten=*/false), to(builder, destination, true);
      if (failed(call(op, getElementTypeOrSelf(input), {from.get(), to.get()}, builder)))
        return failure();
      to.finish();
      from.finish();
    }
    return success();
  }

  template <typename Op> LogicalResult convertRows(Op op, ImplicitLocOpBuilder &builder) {
    SmallVector<FlatBuffer> buffers;
    SmallVector<Value> arguments;
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      buffers.emplace_back(builder, operand, /*isWritten=*/index == 1);
      arguments.push_back(buffers.back().get());
    }
    arguments.push_back(countRowElements(builder, op.getData()));
    if (failed(call(op, getElementTypeOrSelf(op.getData()), arguments, builder)))
      return failure();
    for (FlatBuffer &buffer : buffers)
      buffer.finish();
    return success();
  }

  template <typename Op>
  LogicalResult convertMessage(Op op, ValueRange buffers, ImplicitLocOpBuilder &builder) {
    for (Value each : buffers) {
      FlatBuffer buffer(builder, each, /*isWritten=*/isa<collective::RecvOp>(op));
      if (failed(call(op, getElementTypeOrSelf(each), {buffer.get(), op.getPeer()}, builder)))
        return failure();
      buffer.finish();
    }
    return success();
  }

  template <typename Op> LogicalResult answer(Op op, ImplicitLocOpBuilder &builder) {
    FailureOr<const Team *> team = teams.get(op, op.getGroupAttr());
    if (failed(team))
      return failure();
    TeamRank self(builder, **team);
    op.replaceAllUsesWith(isa<collective::RankOp>(op) ? self.getPlace() : self.getSize());
    return success();
  }

  LogicalResult answer(collective::TranslateRankOp op, ImplicitLocOpBuilder &builder) {
    FailureOr<const Team *> from = teams.get(op, op.getFromAttr());
    FailureOr<const Team *> to = teams.get(op, op.getToAttr());
    if (failed(from) || failed(to))
      return failure();
    TeamRank source(builder, **from), target(builder, **to);
    op.replaceAllUsesWith(source.translate(op.getRank(), target));
    return success();
  }

  LogicalResult answerOfNode(Operation *op, ImplicitLocOpBuilder &builder) {
    if (ranksPerNode == 0)
      return mlir::emitError(op->getLoc())
             << "MPI's dialect has no equal of " << op->getName() << "; it cannot ask which ranks "
             << "share a node: say it with ranks-per-node of convert-collective-to-mpi";
    Value answer = arith::ConstantIndexOp::create(builder, ranksPerNode);
    if (isa<collective::LocalRankOp>(op))
      answer = arith::RemUIOp::create(builder, TeamRank(builder, Team()).getPlace(), answer);
    op->getResult(0).replaceAllUsesWith(answer);
    return success();
  }

  LogicalResult make(Operation *op, ValueRange ranks, ImplicitLocOpBuilder &builder) {
    FailureOr<const Team *> team = teams.get(op, op->getAttrOfType<FlatSymbolRefAttr>("group"));
    if (failed(team))
      return failure();
    TeamRank(builder, **team).make(ranks);
    return success();
  }

  Teams teams;
  Exchanges exchanges;
  int64_t ranksPerNode;
};

/// Neighbouring ranks are a node: groups by node are the rows and columns of one grid.
LogicalResult listNodes(ModuleOp module, int64_t ranksPerNode) {
  for (auto group : module.getOps<collective::GroupOp>()) {
    Attribute members = group.getMembersAttr();
    if (!isa_and_nonnull<collective::PerNodeAttr, collective::AcrossNodesAttr>(members))
      continue;
    std::optional<int64_t> world = group.getWorldSize();
    if (world && *world % ranksPerNode != 0)
      return mlir::emitError(group.getLoc())
             << "ranks-per-node=" << ranksPerNode << " does not divide the " << *world << " ranks";
    if (isa<collective::PerNodeAttr>(members))
      group.setMembersAttr(collective::BlocksAttr::get(module.getContext(), ranksPerNode));
    else
      group.setMembersAttr(collective::StridedAttr::get(module.getContext(), ranksPerNode));
  }
  return success();
}

struct CollectiveToMpi : conversion::impl::CollectiveToMpiPassBase<CollectiveToMpi> {
  using CollectiveToMpiPassBase::CollectiveToMpiPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkOptions()) || (ranksPerNode > 0 && failed(listNodes(module, ranksPerNode))) ||
        failed(convertAll(module)))
      return signalPassFailure();
    std::optional<int64_t> ranks = findRanks(module);
    if (failed(eraseRoles(module)))
      return signalPassFailure();
    if (auto start = module.lookupSymbol<func::FuncOp>(entry); start && !start.isExternal())
      startAndEnd(start, ranks);
    if (!implementation.empty())
      chooseImplementation(module, implementation);
  }

private:
  LogicalResult checkOptions() {
    if (ranksPerNode < 0)
      return mlir::emitError(getOperation().getLoc())
             << "ranks-per-node must be a number of ranks, or 0 where there are no groups by node";
    if (implementation.empty() || implementation == "MPICH" || implementation == "OpenMPI")
      return success();
    return mlir::emitError(getOperation().getLoc())
           << "convert-collective-to-mpi knows the implementations MPICH and OpenMPI, got '"
           << implementation << "'";
  }

  static std::optional<int64_t> findRanks(ModuleOp module) {
    for (auto group : module.getOps<collective::GroupOp>())
      if (std::optional<int64_t> size = group.getWorldSize())
        return size;
    return std::nullopt;
  }

  LogicalResult convertAll(ModuleOp module) {
    SymbolTable symbols(module);
    Conversion conversion(module, symbols, ranksPerNode);
    SmallVector<Operation *> ops;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa_and_nonnull<collective::CollectiveDialect>(op->getDialect()) &&
          !isa<collective::GroupOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (failed(conversion.run(op)))
        return failure();
      ++convertedOps;
    }
    for (Operation *op : llvm::reverse(ops))
      eraseConverted(op);
    return success();
  }

  /// Calls that stand in an `async` move in front of it.
  static void eraseConverted(Operation *op) {
    if (auto async = dyn_cast<collective::AsyncOp>(op))
      for (Operation &inner : llvm::make_early_inc_range(async.getBody().front()))
        inner.moveBefore(op);
    op->erase();
  }
};
} // namespace
