// The pass lower-bind-variables: pure functions of tensors become functions on buffers that update
// variables in place. This pass only proposes destinations; One-Shot Bufferize decides on every
// write, so a proposal that is not safe costs a copy, never a wrong number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/bufferization/Destinations.h"
#include "passes/bufferization/Passes.h"

#include "dialects/train/Train.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using tutti::train::TrainDialect;
using tutti::train::VariableAttr;
using tutti::train::VariableClass;

namespace tutti::bufferization {
#define GEN_PASS_DEF_BINDVARIABLESPASS
#include "passes/bufferization/Passes.h.inc"
} // namespace tutti::bufferization

using namespace tutti::bufferization;

namespace {

/// One function on its way from values to buffers.
class Binder {
public:
  Binder(func::FuncOp function, bool marksStates)
      : function(function), builder(function.getContext()), marksStates(marksStates) {}
  LogicalResult bind();

private:
  LogicalResult checkCalls();
  LogicalResult checkSignature();
  int placeOf(unsigned argument);
  SmallVector<unsigned> resultsInRuntimeOrder();
  void bindArguments();
  void addDestinations();
  void addScratch();
  void separateDestinations();
  void proposeDestinations();
  SmallVector<Value> updatedVariables();
  void storeResults();
  void finish();

  Block &body() { return function.getBody().front(); }
  Operation *terminator() { return body().getTerminator(); }
  bool isVariableResult(unsigned index) {
    return bool(function.getResultAttr(index, TrainDialect::kVariable));
  }
  Value addBuffer(Type type, unsigned position);
  Value asTensor(Value buffer, bool writable, Type type);

  func::FuncOp function;
  OpBuilder builder;
  /// For each result: the buffer it goes to, and that buffer's contents as a tensor.
  SmallVector<Value> destinations, destinationTensors;
  llvm::DenseMap<Attribute, BlockArgument> variableBuffers;
  llvm::DenseMap<Value, Value> tensors; // buffer -> its to_tensor
  unsigned variables = 0, inputs = 0, results = 0;
  SmallVector<BlockArgument> states; ///< buffers of optimizer states
  bool marksStates;
};

bool isState(Attribute variable) {
  auto described = dyn_cast_or_null<VariableAttr>(variable);
  return described && described.getVariableClass() == VariableClass::State;
}

MemRefType bufferTypeOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

/// Where the runtime passes an argument: variables first, then inputs, then hyperparameters.
int Binder::placeOf(unsigned argument) {
  if (function.getArgAttr(argument, TrainDialect::kVariable))
    return 0;
  return function.getArgAttr(argument, TrainDialect::kHyperparameter) ? 2 : 1;
}

/// What can be inlined has been.
LogicalResult Binder::checkCalls() {
  WalkResult walked = function.walk([](func::CallOp call) {
    call.emitOpError("cannot be compiled: @")
        << call.getCallee() << " is no part of its caller; give it one body, in which it does not "
        << "call itself, and run inline";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult Binder::checkSignature() {
  if (!function.getBody().hasOneBlock())
    return function.emitError("cannot be compiled: its body has more than one block");
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  if (!llvm::is_sorted(llvm::map_range(llvm::seq<unsigned>(0, function.getNumArguments()),
                                       [&](unsigned index) { return placeOf(index); })))
    return function.emitError(
        "cannot be compiled: its arguments must be variables, then inputs, then "
        "hyperparameters");
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes()))
    if (!isStatic(type))
      return function.emitError("cannot be compiled: ")
             << type << " is not a tensor of static shape "
             << (isa<TensorType>(type) ? "(run train-specialize-batch first)"
                                       : "(if only other functions call it, make it private)");
  return success();
}

Value Binder::asTensor(Value buffer, bool writable, Type type) {
  auto toTensor = mlir::bufferization::ToTensorOp::create(builder, function.getLoc(), type, buffer,
                                                          /*restrict=*/true, writable);
  tensors[buffer] = toTensor;
  return toTensor;
}

/// Arguments become buffers of the same order; their uses read the buffer's tensor. Only the
/// variables that the function also returns may be written.
void Binder::bindArguments() {
  llvm::DenseSet<Attribute> returned;
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    returned.insert(function.getResultAttr(index, TrainDialect::kVariable));
  builder.setInsertionPointToStart(&body());
  for (BlockArgument argument : body().getArguments()) {
    Attribute variable = function.getArgAttr(argument.getArgNumber(), TrainDialect::kVariable);
    ++(variable ? variables : inputs);
    Type type = argument.getType();
    argument.setType(bufferTypeOf(type));
    Value tensor = asTensor(argument, variable && returned.contains(variable), type);
    argument.replaceAllUsesExcept(tensor, tensor.getDefiningOp());
    if (variable)
      variableBuffers[variable] = argument;
    if (isState(variable))
      states.push_back(argument);
  }
}

/// The runtime gets metrics before outputs (tutti/program.h), whatever their order in the program.
/// Gradients that a step returns are outputs.
SmallVector<unsigned> Binder::resultsInRuntimeOrder() {
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, function.getNumResults()));
  auto isOutput = [&](unsigned index) {
    return function.getResultAttr(index, TrainDialect::kOutput) ||
           function.getResultAttr(index, TrainDialect::kGradient);
  };
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return isOutput(a) < isOutput(b); });
  return order;
}

/// Gives every result its buffer: the variable's own, or a new argument. The variables that only
/// @initialize makes come first among the arguments, other results last.
void Binder::addDestinations() {
  destinations.resize(function.getNumResults());
  destinationTensors.resize(function.getNumResults());
  for (unsigned index : resultsInRuntimeOrder()) {
    Attribute variable = function.getResultAttr(index, TrainDialect::kVariable);
    Value buffer = variableBuffers.lookup(variable);
    if (!buffer) {
      Type type = function.getResultTypes()[index];
      unsigned position = variable ? variables++ : body().getNumArguments();
      results += !variable;
      BlockArgument argument =
          body().insertArgument(position, bufferTypeOf(type), function.getLoc());
      asTensor(argument, /*writable=*/true, type);
      buffer = argument;
      if (isState(variable))
        states.push_back(argument);
    }
    destinations[index] = buffer;
    destinationTensors[index] = tensors.lookup(buffer);
  }
}

void Binder::addScratch() {
  Type bytes = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
  body().addArgument(bytes, function.getLoc());
  body().addArgument(LLVM::LLVMPointerType::get(builder.getContext()), function.getLoc());
}

/// Gives each op an uninitialised or filled destination of its own: CSE has merged equal ones, and
/// a shared one would have to be copied.
void Binder::separateDestinations() {
  SmallVector<Operation *> shared;
  function.walk([&](Operation *op) {
    if (isa<tensor::EmptyOp, linalg::FillOp>(op))
      shared.push_back(op);
  });
  // Users first: a filled tensor that is cloned makes more uses of its empty tensor.
  for (Operation *op : llvm::reverse(shared)) {
    while (!op->use_empty() && !op->hasOneUse()) {
      OpOperand &use = *op->use_begin();
      builder.setInsertionPoint(use.getOwner());
      use.set(builder.clone(*op)->getResult(0));
    }
    if (op->hasOneUse())
      op->moveBefore(*op->user_begin());
  }
}

void Binder::proposeDestinations() {
  llvm::DenseSet<Value> proposed;
  for (auto [value, destination] : llvm::zip(terminator()->getOperands(), destinationTensors))
    if (proposed.insert(value).second)
      proposeDestination(value, destination);
}

/// The tensors of the variables that the function takes and returns.
SmallVector<Value> Binder::updatedVariables() {
  SmallVector<Value> found;
  for (unsigned index = 0; index < destinations.size(); ++index)
    if (isVariableResult(index) &&
        variableBuffers.contains(function.getResultAttr(index, TrainDialect::kVariable)))
      found.push_back(destinationTensors[index]);
  return found;
}

/// Stores results that are not in their buffers yet. A result that is a view of another buffer is
/// copied first, because these stores may overwrite that buffer.
void Binder::storeResults() {
  builder.setInsertionPoint(terminator());
  SmallVector<Value> values(terminator()->getOperands());
  for (auto [value, own] : llvm::zip(values, destinationTensors)) {
    Value viewed = viewedBy(value);
    if (viewed == own || !viewed.getDefiningOp<mlir::bufferization::ToTensorOp>())
      continue;
    value = mlir::bufferization::AllocTensorOp::create(
        builder, function.getLoc(), cast<RankedTensorType>(value.getType()),
        /*dynamicSizes=*/ValueRange(), /*copy=*/value);
  }
  for (auto [value, own, buffer] : llvm::zip(values, destinationTensors, destinations)) {
    if (value == own)
      continue;
    auto store = mlir::bufferization::MaterializeInDestinationOp::create(builder, function.getLoc(),
                                                                         value, buffer);
    store.setRestrict(true);
    store.setWritable(true);
  }
}

void Binder::finish() {
  terminator()->setOperands({});
  function.setType(builder.getFunctionType(body().getArgumentTypes(), {}));
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  // Buffers never overlap; say so to the optimiser.
  for (unsigned index = 0; index + 1 < body().getNumArguments(); ++index)
    function.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
  if (marksStates)
    for (BlockArgument state : states)
      function.setArgAttr(state.getArgNumber(), "kernel.state", builder.getUnitAttr());
  function->setAttr("kernel.variables", builder.getI64IntegerAttr(variables));
  function->setAttr("kernel.inputs", builder.getI64IntegerAttr(inputs));
  function->setAttr("kernel.results", builder.getI64IntegerAttr(results));
}

LogicalResult Binder::bind() {
  if (failed(checkCalls()) || failed(checkSignature()))
    return failure();
  bindArguments();
  addDestinations();
  addScratch();
  fillLoopStarts(function);
  separateDestinations();
  proposeInLoops(function);
  proposeDestinations();
  placeUpdatesEarly(body(), updatedVariables());
  reuseInputs(function);
  storeResults();
  finish();
  return success();
}

struct BindVariablesPass : tutti::bufferization::impl::BindVariablesPassBase<BindVariablesPass> {
  using BindVariablesPassBase::BindVariablesPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(Binder(function, marksStates).bind()))
        return signalPassFailure();
    getOperation()->removeAttr(TrainDialect::kProgram);
  }
};

} // namespace
