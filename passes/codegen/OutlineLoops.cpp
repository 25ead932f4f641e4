// The pass lower-outline-loops: one function for all loop nests that are alike.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/codegen/GuardArithmetic.h"
#include "passes/codegen/LoopNest.h"
#include "passes/codegen/NestBuffers.h"
#include "passes/codegen/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

#include <map>

using namespace mlir;

namespace tutti::codegen {
#define GEN_PASS_DEF_OUTLINELOOPSPASS
#include "passes/codegen/Passes.h.inc"
} // namespace tutti::codegen

using namespace tutti::codegen;

namespace {

/// What is passed to the function of a nest: arrays, each once, and numbers.
struct Argument {
  std::optional<NestBuffer> buffer;
  Value number;             // if there is no buffer
  bool isUnaliased = false; // no other argument can see what is written through this one, and back
};

/// One op that becomes a call.
struct Nest {
  linalg::GenericOp op;
  LoopNest loops; // as seen from the function's arguments
  SmallVector<Argument> arguments;
  /// For each operand of the op: the argument, or none if it is a constant; and how it is seen.
  SmallVector<std::optional<unsigned>> argumentOf;
  SmallVector<MemRefType> shown;
};

/// Everything of a nest but its body. Two nests of equal keys and bodies are one function.
using Key = std::vector<uint64_t>;

/// Attributes and types are equal if their addresses are.
template <typename Unique> uint64_t identify(Unique unique) {
  return reinterpret_cast<uintptr_t>(unique.getAsOpaquePointer());
}

Type typeOf(const Argument &argument) {
  return argument.buffer ? Type(argument.buffer->flat) : argument.number.getType();
}

void append(Key &key, const LoopNest &nest) {
  key.push_back(nest.loops.size());
  for (const Loop &loop : nest.loops) {
    key.push_back(loop.size);
    key.push_back(loop.isReduction);
    key.push_back(loop.indexedDimension ? *loop.indexedDimension + 1 : 0);
    key.insert(key.end(), loop.strides.begin(), loop.strides.end());
  }
  key.insert(key.end(), nest.offsets.begin(), nest.offsets.end());
  key.insert(key.end(), nest.extents.begin(), nest.extents.end());
}

Attribute constantOf(Value value) {
  Attribute constant;
  matchPattern(value, m_Constant(&constant));
  return constant;
}

Value cloneConstant(OpBuilder &builder, Value constant) {
  return builder.clone(*constant.getDefiningOp())->getResult(0);
}

Key keyOf(Nest &nest) {
  Key key = {static_cast<uint64_t>(nest.op.getNumDpsInputs()), nest.argumentOf.size()};
  append(key, nest.loops);
  for (auto [operand, argument] : llvm::zip_equal(nest.op->getOperands(), nest.argumentOf))
    key.push_back(argument ? *argument : identify(constantOf(operand)));
  for (const Argument &argument : nest.arguments) {
    key.push_back(identify(typeOf(argument)));
    key.push_back(argument.isUnaliased);
  }
  return key;
}

/// The argument for `buffer`, which may be one that the nest has already.
unsigned addBuffer(Nest &nest, const NestBuffer &buffer) {
  for (auto [number, argument] : llvm::enumerate(nest.arguments))
    if (argument.buffer && argument.buffer->isSameArray(buffer)) {
      argument.buffer->isWritten |= buffer.isWritten;
      argument.buffer->begin = std::min(argument.buffer->begin, buffer.begin);
      return number;
    }
  nest.arguments.push_back({buffer, nullptr});
  return nest.arguments.size() - 1;
}

/// Adds what `operand` passes. Fails for buffers whose place is known only at run time.
LogicalResult addOperand(Nest &nest, OpOperand &operand) {
  nest.shown.emplace_back();
  if (nest.op.isScalar(&operand)) {
    std::optional<unsigned> number;
    if (!constantOf(operand.get())) {
      number = nest.arguments.size();
      nest.arguments.push_back({std::nullopt, operand.get()});
    }
    nest.argumentOf.push_back(number);
    return success();
  }
  std::optional<NestBuffer> buffer = describeBuffer(operand.get());
  if (!buffer)
    return failure();
  buffer->isWritten = nest.op.isDpsInit(&operand);
  nest.shown.back() = buffer->shown;
  nest.loops.offsets[operand.getOperandNumber()] -= buffer->absorbed;
  nest.argumentOf.push_back(addBuffer(nest, *buffer));
  return success();
}

void findUnaliased(Nest &nest) {
  for (Argument &argument : nest.arguments)
    argument.isUnaliased =
        argument.buffer && llvm::all_of(nest.arguments, [&](const Argument &other) {
          return &other == &argument || !other.buffer ||
                 areIndependent(*argument.buffer, *other.buffer);
        });
}

/// Whether the body computes from its arguments and constants alone, and cannot fail.
bool isSelfContained(linalg::GenericOp op) {
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::all_of(captured, constantOf) && llvm::all_of(*op.getBlock(), [](Operation &inner) {
           return isMemoryEffectFree(&inner) && !canReport(&inner);
         });
}

/// Constants from outside become the body's own, in the order of their use.
void takeConstantsInside(linalg::GenericOp op) {
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  OpBuilder builder = OpBuilder::atBlockBegin(op.getBlock());
  for (Value value : captured) {
    Value constant = cloneConstant(builder, value);
    replaceAllUsesInRegionWith(value, constant, op.getRegion());
  }
}

bool haveEqualBodies(linalg::GenericOp a, linalg::GenericOp b) {
  return OperationEquivalence::isRegionEquivalentTo(&a.getRegion(), &b.getRegion(),
                                                    OperationEquivalence::IgnoreLocations);
}

struct OutlineLoopsPass : tutti::codegen::impl::OutlineLoopsPassBase<OutlineLoopsPass> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    SymbolTable table(getOperation());
    symbols = &table;
    for (linalg::LinalgOp op : ops)
      if (failed(outline(op)))
        return signalPassFailure();
    functionsOf.clear();
  }

  /// Nests of no loop stay: they are no longer than a call.
  LogicalResult outline(linalg::LinalgOp op) {
    FailureOr<LoopNest> loops = describeLoops(op);
    if (failed(loops))
      return failure();
    if (loops->loops.empty() || !op.hasPureBufferSemantics())
      return success();
    IRRewriter rewriter(op);
    Nest nest;
    nest.op = dyn_cast<linalg::GenericOp>(*op);
    if (!nest.op)
      nest.op = *linalg::generalizeNamedOp(rewriter, op);
    nest.loops = *loops;
    for (OpOperand &operand : nest.op->getOpOperands())
      if (failed(addOperand(nest, operand)))
        return success();
    if (isSelfContained(nest.op))
      replaceByCall(nest);
    return success();
  }

  void replaceByCall(Nest &nest) {
    findUnaliased(nest);
    takeConstantsInside(nest.op);
    func::FuncOp function = findOrCreate(nest);
    OpBuilder builder(nest.op);
    SmallVector<Value> arguments;
    for (const Argument &argument : nest.arguments)
      arguments.push_back(argument.buffer ? createArray(builder, nest.op.getLoc(), *argument.buffer)
                                          : argument.number);
    func::CallOp::create(builder, nest.op.getLoc(), function, arguments);
    nest.op.erase();
    ++calls;
  }

  func::FuncOp findOrCreate(Nest &nest) {
    auto &functions = functionsOf[keyOf(nest)];
    for (linalg::GenericOp known : functions)
      if (haveEqualBodies(known, nest.op))
        return known->getParentOfType<func::FuncOp>();
    func::FuncOp function = createFunction(nest);
    functions.push_back(createBody(nest, function));
    ++this->functions;
    return function;
  }

  func::FuncOp createFunction(Nest &nest) {
    MLIRContext *context = &getContext();
    SmallVector<Type> types;
    for (const Argument &argument : nest.arguments)
      types.push_back(typeOf(argument));
    auto function = func::FuncOp::create(nest.op.getLoc(), "loops",
                                         FunctionType::get(context, types, /*results=*/{}));
    function.setPrivate();
    // What is compiled once must not be copied back.
    function->setAttr("passthrough", Builder(context).getStrArrayAttr({"noinline"}));
    function->setAttr("llvm.linkage",
                      LLVM::LinkageAttr::get(context, LLVM::linkage::Linkage::Internal));
    symbols->insert(function);
    for (auto [number, argument] : llvm::enumerate(nest.arguments))
      if (argument.isUnaliased)
        function.setArgAttr(number, LLVM::LLVMDialect::getNoAliasAttrName(),
                            UnitAttr::get(context));
    return function;
  }

  /// The nest's op, on the arguments of `function`.
  linalg::GenericOp createBody(Nest &nest, func::FuncOp function) {
    Location loc = nest.op.getLoc();
    auto builder = OpBuilder::atBlockBegin(function.addEntryBlock());
    SmallVector<Value> operands;
    for (auto [operand, number, shown] :
         llvm::zip_equal(nest.op->getOperands(), nest.argumentOf, nest.shown)) {
      Value argument =
          number ? Value(function.getArgument(*number)) : cloneConstant(builder, operand);
      operands.push_back(shown ? createShown(builder, loc, argument, shown) : argument);
    }
    auto op = cast<linalg::GenericOp>(builder.clone(*nest.op));
    op->setOperands(operands);
    func::ReturnOp::create(builder, loc);
    return op;
  }

  SymbolTable *symbols = nullptr;
  std::map<Key, SmallVector<linalg::GenericOp>> functionsOf;
};

} // namespace
