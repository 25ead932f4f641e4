// distribute-interleave: one micro-batch computes while another communicates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/interfaces/Draws.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/train/Train.h"
#include "lib/analysis/CollectiveMotion.h"
#include "lib/analysis/Remarks.h"
#include "lib/program/DrawNumbers.h"
#include "passes/distribution/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_INTERLEAVEPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

/// Whether the operation communicates and gives an outcome, which the next segment uses.
static bool isExchange(Operation *op) { return movesData(op) && op->getNumResults() > 0; }

/// Whether the operation may stand anywhere after its operands, in a loop of such operations and
/// communication: it only reads, such as the number of the rank, or its draws follow from a number
/// that it holds.
static bool mayStandAnywhere(Operation *op) {
  auto effects = getEffectsRecursively(op);
  auto isRead = [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Read>(effect.getEffect());
  };
  return op->hasTrait<Draws>() || (effects && llvm::all_of(*effects, isRead));
}

static bool isLoopOfMicroBatches(scf::ForOp loop) {
  return llvm::any_of(loop.getBody()->getOps<train::MicroBatchOp>(),
                      [&](auto part) { return part.getIndex() == loop.getInductionVar(); });
}

/// The turns of `loop`, which are counted from 0; none if they are not, or not known.
static std::optional<int64_t> countTurns(scf::ForOp loop) {
  if (!isConstantIntValue(loop.getLowerBound(), 0) || !isConstantIntValue(loop.getStep(), 1))
    return std::nullopt;
  return getConstantIntValue(loop.getUpperBound());
}

/// Marks what asks for its micro-batch, in `op` and in its regions, as that of `turn`.
static void markTurn(Operation *op, int64_t turn) {
  op->walk([&](Operation *inner) {
    if (isa<train::MicroBatchOp, PlacedDrawsOpInterface>(inner))
      inner->setAttr(train::kTurn, Builder(op).getI64IntegerAttr(turn));
  });
}

namespace {
/// The work of a loop's body, of several turns once they are unrolled.
class TurnsOfLoop {
public:
  explicit TurnsOfLoop(scf::ForOp loop) : loop(loop) {
    for (Operation &op : loop.getBody()->without_terminator())
      work.push_back({&op, 0, 0});
  }

  /// Why turns cannot be computed together; nothing if they can.
  Refusal whyAlone(const CollectiveMotion &motion) const {
    bool communicates = false;
    for (const Work &one : work) {
      if (isExchange(one.op)) {
        communicates = true;
        if (Refusal refusal = motion.whyStays(one.op))
          return refusal;
      } else if (ordersCommunication(one.op) || !mayStandAnywhere(one.op)) {
        return "'" + one.op->getName().getStringRef().str() + "' in it may only run in its place";
      }
    }
    return communicates ? Refusal() : "nothing in it communicates";
  }

  /// Lets each turn do what `count` turns did.
  void unroll(int64_t count) {
    Operation *end = loop.getBody()->getTerminator();
    const SmallVector<Value> handedOn(end->getOperands()); // by the first of them
    const size_t size = work.size();
    for (Work &one : work)
      markTurn(one.op, 0);
    OpBuilder before(loop), builder(end);
    for (int64_t turn = 1; turn < count; ++turn) {
      Value distance = arith::ConstantIndexOp::create(before, loop.getLoc(), turn);
      Value index = arith::AddIOp::create(builder, loop.getLoc(), loop.getInductionVar(), distance);
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), index);
      mapping.map(loop.getRegionIterArgs(), end->getOperands());
      work.push_back({index.getDefiningOp(), turn, 0});
      for (size_t i = 0; i < size; ++i) {
        work.push_back({builder.clone(*work[i].op, mapping), turn, 0});
        markTurn(work.back().op, turn);
      }
      end->setOperands(llvm::map_to_vector(
          handedOn, [&](Value value) { return mapping.lookupOrDefault(value); }));
    }
    loop.setStep(arith::ConstantIndexOp::create(before, loop.getLoc(), count));
  }

  /// Puts segments in the order of their numbers, in each of them one turn after the other. Returns
  /// how many there are.
  unsigned order() {
    DenseMap<Operation *, unsigned> ready; // by maker: the first segment that may use its results
    unsigned last = 0;
    for (Work &one : work) {
      one.op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (Operation *maker = operand.getDefiningOp())
            one.segment = std::max(one.segment, ready.lookup(maker));
      });
      ready[one.op] = one.segment + isExchange(one.op);
      last = std::max(last, one.segment);
    }
    llvm::stable_sort(work, [](const Work &one, const Work &other) {
      return std::pair(one.segment, one.turn) < std::pair(other.segment, other.turn);
    });
    for (const Work &one : work)
      one.op->moveBefore(loop.getBody()->getTerminator());
    return last + 1;
  }

private:
  struct Work {
    Operation *op;
    int64_t turn;
    unsigned segment;
  };

  scf::ForOp loop;
  SmallVector<Work> work; ///< in an order in which it may be done
};

struct Interleave : distribution::impl::InterleavePassBase<Interleave> {
  using InterleavePassBase::InterleavePassBase;

  void runOnOperation() override {
    if (microBatches < 1) {
      mlir::emitError(getOperation().getLoc())
          << "micro-batches must be 1 or more, got " << microBatches.getValue();
      return signalPassFailure();
    }
    if (microBatches == 1)
      return markAllAnalysesPreserved();
    CollectiveMotion motion(getOperation(), getAnalysis<UniformityAnalysis>());
    hasInterleaved = false;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (isLoopOfMicroBatches(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (failed(interleave(loop, motion)))
        return signalPassFailure();
    if (!hasInterleaved)
      mlir::emitWarning(getOperation().getLoc())
          << "interleave has no effect: no loop over micro-batches communicates";
  }

private:
  LogicalResult interleave(scf::ForOp loop, const CollectiveMotion &motion) {
    std::optional<int64_t> turns = countTurns(loop);
    if (!turns || *turns % microBatches != 0)
      return mlir::emitError(loop.getLoc())
             << "interleave=" << microBatches.getValue() << " does not divide the micro-batches of "
             << "this loop, "
             << (turns ? "of which there are " + std::to_string(*turns)
                       : std::string("whose number is not known"))
             << "; change interleave or accumulate";
    TurnsOfLoop work(loop);
    if (Refusal refusal = work.whyAlone(motion)) {
      remark::missed(loop.getLoc(), remarkBy(getArgument(), loop))
          << "micro-batches are computed one after the other: " << refusal.reason();
      return success();
    }
    program::numberDraws(loop->getParentOfType<func::FuncOp>());
    work.unroll(microBatches);
    unsigned count = work.order();
    hasInterleaved = true;
    ++interleaved;
    segments += count;
    remark::passed(loop.getLoc(), remarkBy(getArgument(), loop))
        << (Twine(microBatches) + " micro-batches are computed together, in " +
            counted(count, "segment") + " each")
               .str();
    return success();
  }

  bool hasInterleaved = false;
};
} // namespace
