// Finding tables that servers can hold, and handing them over.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/servers/ServedTable.h"

#include "dialects/interfaces/Pointwise.h"
#include "dialects/ps/Ps.h"
#include "lib/analysis/BatchSlice.h"
#include "lib/program/ValueNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

static llvm::Error because(const Twine &reason) { return llvm::createStringError(reason); }

RankedTensorType ServedTable::getType() const { return cast<RankedTensorType>(table.getType()); }

int64_t ServedTable::getBytes() const {
  return getType().getNumElements() * (getType().getElementTypeBitWidth() / 8);
}

int64_t ServedTable::getHeldBytes() const {
  int64_t bytes = getBytes();
  for (auto state : llvm::map_range(states, llvm::CastTo<ps::StateAttr>))
    bytes += state.getExtent() == ps::Extent::Row
                 ? getType().getDimSize(0) * (getType().getElementTypeBitWidth() / 8)
                 : getBytes();
  return bytes;
}

bool ServedTable::isClipped() const { return bool(gradient.getDefiningOp<train::ClipOp>()); }

llvm::Expected<ServedTable> ServedTable::find(const ServedProgram &program, BlockArgument table,
                                              Form form) {
  ServedTable found;
  found.form = form;
  found.role = findHeldVariable(table);
  found.table = table;
  auto type = dyn_cast<RankedTensorType>(table.getType());
  if (!type || !type.hasStaticShape() || !isa<FloatType>(type.getElementType()))
    return because("it is no floating-point tensor of a fixed shape");
  if (form == Form::Rows && type.getRank() < 2)
    return because("it has no rows");
  if (llvm::Error error = found.collectReaders(program))
    return error;
  if (llvm::Error error = found.collectGradient())
    return error;
  if (llvm::Error error = found.collectStates(program))
    return error;
  if (llvm::Error error = found.collectInitial(program))
    return error;
  return found;
}

/// Who reads the variable in all functions, and its optimizer.
llvm::Error ServedTable::collectReaders(const ServedProgram &program) {
  for (BlockArgument held : program.getArguments(role)) {
    for (OpOperand &use : held.getUses()) {
      Operation *user = use.getOwner();
      auto lookup = dyn_cast<LookupOpInterface>(user);
      auto update = dyn_cast<OptimizerOpInterface>(user);
      if (lookup && lookup.getLookedUpTable() == held && lookup.getLookedUpRows() != held)
        lookups.push_back(lookup);
      else if (update && update.getVariable() == held && !optimizer)
        optimizer = update;
      else if (!isWhole())
        return because(describeNode(user) + " takes it as a whole");
    }
  }
  if (lookups.empty() && !isWhole())
    return because("nothing looks rows of it up");
  return optimizer ? llvm::Error::success() : because("no optimizer updates it");
}

static llvm::Error becauseShared() { return because("more than its optimizer takes its gradient"); }

namespace {
/// Whether values are the gradient of variables, or a part of one, and nothing else. Tables that
/// are looked up alike may share theirs.
class ForOptimizersAlone {
public:
  /// Once it says no, ask no more: what it has seen counts as good.
  bool contains(Value gradient) {
    SmallVector<Value> open = {gradient};
    while (!open.empty()) {
      Value part = open.pop_back_val();
      if (seen.insert(part).second &&
          !llvm::all_of(part.getUses(), [&](OpOperand &use) { return goesToOptimizer(use, open); }))
        return false;
    }
    return true;
  }

private:
  /// Directly, or as a part of another value, which is to be looked at.
  static bool goesToOptimizer(OpOperand &use, SmallVector<Value> &open) {
    Operation *user = use.getOwner();
    if (auto update = dyn_cast<OptimizerOpInterface>(user))
      return &update.getGradientMutable() == &use;
    if (!isa<train::ScaleOp, arith::AddFOp>(user))
      return false;
    open.push_back(user->getResult(0));
    return true;
  }

  llvm::DenseSet<Value> seen;
};
} // namespace

/// The gradient, perhaps scaled, which nothing else takes.
llvm::Error ServedTable::collectGradient() {
  if (isWhole() && optimizer->hasTrait<tutti::Rowwise>())
    return because("its optimizer '" + optimizer->getName().getStringRef() +
                   "' keeps a state of each row, and it is read as a whole");
  if (!isWhole() && !isRowwise(optimizer))
    return because("its optimizer '" + optimizer->getName().getStringRef() +
                   "' looks at the variable as a whole");
  gradient = optimizer.getGradientMutable().get();
  ForOptimizersAlone forOptimizers;
  while (auto scale = gradient.getDefiningOp<train::ScaleOp>()) {
    if (!forOptimizers.contains(gradient))
      return becauseShared();
    scales.push_back(scale);
    gradient = scale.getInput();
  }
  std::reverse(scales.begin(), scales.end());
  if (llvm::Error error = isWhole() ? llvm::Error::success() : collectLists(gradient))
    return error;
  if (!forOptimizers.contains(gradient))
    return becauseShared();
  for (train::ScaleOp scale : scales)
    scalars.push_back(scale.getFactor());
  return llvm::Error::success();
}

/// The most lists that one gradient may be the sum of: a push puts them together.
static constexpr size_t kMostLists = 4096;

/// The lists of rows whose sum the gradient is.
llvm::Error ServedTable::collectLists(Value gradient) {
  SmallVector<Value> open = {gradient};
  ForOptimizersAlone forOptimizers;
  while (!open.empty()) {
    Value term = open.pop_back_val();
    if (!forOptimizers.contains(term))
      return becauseShared();
    if (lists.size() > kMostLists || open.size() > kMostLists)
      return because("its gradient is the sum of more than " + Twine(kMostLists) +
                     " lists of rows");
    if (auto sum = term.getDefiningOp<arith::AddFOp>()) {
      open.push_back(sum.getRhs());
      open.push_back(sum.getLhs());
    } else if (auto list = term.getDefiningOp<train::ScatterRowsOp>()) {
      lists.push_back(list);
    } else {
      Operation *made = term.getDefiningOp();
      return because("its gradient is not made of rows alone: " +
                     (made ? describeNode(made) + " makes a part of it" : "it is an argument"));
    }
  }
  return llvm::Error::success();
}

/// Of a state that has one number for each row.
RankedTensorType ServedTable::getPerRowType() const {
  return RankedTensorType::get(getType().getShape().take_front(1), getType().getElementType());
}

/// Its states, which must be its optimizer's alone, and what else the optimizer takes.
llvm::Error ServedTable::collectStates(const ServedProgram &program) {
  func::FuncOp step = program.program.step;
  SmallVector<Value> tables = {table};
  llvm::append_range(tables, optimizer.getStates());
  for (auto [value, next] : llvm::zip_equal(tables, optimizer->getResults())) {
    train::VariableAttr held = findHeldVariable(value);
    if (!held || !held.isReplicated())
      return because("a state of its optimizer is no variable");
    std::optional<unsigned> returned = program.placesOf(step).getResult(held);
    Operation *end = step.getBody().front().getTerminator();
    bool isHandedOn = returned && end->getOperand(*returned) == next && next.hasOneUse();
    if (!isHandedOn || (value != table && !value.hasOneUse()))
      return because("more than its optimizer takes '" + held.getName() + "'");
    if (value.getType() != getType() && value.getType() != getPerRowType())
      return because("the state '" + held.getName() +
                     "' has neither its type nor one number of each row");
    roles.push_back(held);
  }
  for (Value operand : optimizer->getOperands()) {
    if (llvm::is_contained(tables, operand) || operand == optimizer.getGradientMutable().get())
      continue;
    if (cast<RankedTensorType>(operand.getType()).getRank() != 0)
      return because("its optimizer takes more than rows and scalars");
    scalars.push_back(operand);
  }
  return llvm::Error::success();
}

/// What @initialize returns as `role`, if that is a constant.
static ElementsAttr findInitial(const ServedProgram &program, train::VariableAttr role) {
  ElementsAttr constant;
  func::FuncOp initialize = program.program.initialize;
  std::optional<unsigned> result = program.placesOf(initialize).getResult(role);
  if (result)
    matchPattern(initialize.getBody().front().getTerminator()->getOperand(*result),
                 m_Constant(&constant));
  return constant;
}

llvm::Error ServedTable::collectInitial(const ServedProgram &program) {
  initial = findInitial(program, role);
  for (train::VariableAttr state : ArrayRef(roles).drop_front()) {
    auto value = dyn_cast_or_null<SplatElementsAttr>(findInitial(program, state));
    if (!value)
      return because("the optimizer's state '" + state.getName() +
                     "' does not begin as one number");
    double number = value.getSplatValue<APFloat>().convertToDouble();
    bool isOfRows = !isWhole() && value.getType() != getType();
    states.push_back(ps::StateAttr::get(role.getContext(), state.getName(),
                                        FloatAttr::get(Float64Type::get(role.getContext()), number),
                                        isOfRows ? ps::Extent::Row : ps::Extent::Element));
  }
  return llvm::Error::success();
}

Refusal ServedTable::whyNotPrefetched(func::FuncOp step) const {
  if (isWhole())
    return "it is served whole";
  for (LookupOpInterface lookup : lookups) {
    if (lookup->getParentOfType<func::FuncOp>() != step)
      continue;
    auto slice = lookup->getBlock() == &step.getBody().front()
                     ? findBatchSlice(step, lookup.getLookedUpRows())
                     : llvm::Expected<SmallVector<Operation *>>(because("stands in a branch"));
    if (!slice)
      return "the index of " + describeNode(lookup) + " " + llvm::toString(slice.takeError());
  }
  return {};
}

/// The optimizer, with what scales the gradient, as a function of any number of rows.
func::FuncOp ServedTable::outlineUpdate(StringAttr name, ps::TableOp served) const {
  OpBuilder builder(name.getContext());
  RankedTensorType rows = served.getRowsType();
  SmallVector<Type> results = {rows};
  for (unsigned state = 0; state < states.size(); ++state)
    results.push_back(served.getStateType(state));
  SmallVector<Type> arguments(results);
  arguments.push_back(rows);
  for (Value scalar : scalars)
    arguments.push_back(scalar.getType());
  Location loc = optimizer->getLoc();
  auto function =
      func::FuncOp::create(loc, name, FunctionType::get(name.getContext(), arguments, results));
  function.setPrivate();
  builder.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  auto next = function.getArguments().begin();
  mapping.map(table, *next++);
  OptimizerOpInterface update = optimizer;
  for (Value state : update.getStates())
    mapping.map(state, *next++);
  Value gradient = *next++;
  for (train::ScaleOp scale : scales)
    gradient = train::ScaleOp::create(builder, scale.getLoc(), rows, gradient, *next++);
  mapping.map(update.getGradientMutable().get(), gradient);
  for (Value scalar : ArrayRef(scalars).drop_front(scales.size()))
    mapping.map(scalar, *next++);
  Operation *onRows = builder.clone(*update, mapping);
  for (auto [result, type] : llvm::zip_equal(onRows->getResults(), results))
    result.setType(type);
  func::ReturnOp::create(builder, loc, onRows->getResults());
  return function;
}

/// Lookups become pulls of rows; whoever takes a whole variable gets it at the start of his
/// function.
void ServedTable::pull(const ServedProgram &program, FlatSymbolRefAttr served) const {
  for (LookupOpInterface lookup : isWhole() ? ArrayRef<LookupOpInterface>() : lookups) {
    if (lookup->use_empty()) { // servers are not asked for what nobody wants
      lookup->erase();
      continue;
    }
    OpBuilder at(lookup);
    Value rows = ps::PullRowsOp::create(at, lookup->getLoc(), lookup->getResult(0).getType(),
                                        served, lookup.getLookedUpRows());
    lookup->getResult(0).replaceAllUsesWith(rows);
    lookup->erase();
  }
  if (!isWhole())
    return;
  Operation *update = OptimizerOpInterface(optimizer).getOperation();
  auto reads = [&](OpOperand &use) { return use.getOwner() != update; };
  for (BlockArgument held : program.getArguments(role)) {
    if (llvm::none_of(held.getUses(), reads))
      continue;
    OpBuilder at = OpBuilder::atBlockBegin(held.getOwner());
    Value whole = ps::PullOp::create(at, held.getLoc(), getType(), served);
    held.replaceUsesWithIf(whole, reads);
  }
}

/// One list of all, each row once.
void ServedTable::pushRows(FlatSymbolRefAttr served) const {
  OpBuilder builder(optimizer);
  Location loc = optimizer->getLoc();
  SmallVector<Value> indices, rows;
  for (train::ScatterRowsOp list : lists) {
    indices.push_back(list.getIndices());
    rows.push_back(list.getRows());
  }
  auto join = [&](ValueRange parts) -> Value {
    return parts.size() == 1 ? parts[0] : tensor::ConcatOp::create(builder, loc, 0, parts);
  };
  Value allIndices = join(indices), allRows = join(rows);
  auto merged = train::MergeRowsOp::create(builder, loc, allIndices.getType(), allRows.getType(),
                                           allIndices, allRows, Value(), getType().getDimSize(0),
                                           FlatSymbolRefAttr(), DenseI64ArrayAttr());
  ps::PushRowsOp::create(builder, loc, served, merged.getMergedIndices(), merged.getMergedRows(),
                         scalars);
}

void ServedTable::pushWhole(FlatSymbolRefAttr served) const {
  OpBuilder builder(optimizer);
  ps::PushOp::create(builder, optimizer->getLoc(), served, gradient, scalars);
}

void ServedTable::serve(const ServedProgram &program, const Options &options) const {
  auto [module, initialize, step] = program.program;
  MLIRContext *context = role.getContext();
  OpBuilder builder(context);
  builder.setInsertionPoint(initialize);
  auto name = builder.getStringAttr(role.getName());
  auto updateName = builder.getStringAttr(role.getName() + ".update");
  Attribute begin = options.initial ? Attribute(options.initial) : Attribute(initial);
  auto served = ps::TableOp::create(
      builder, optimizer->getLoc(), name.getValue(), getType(), begin, builder.getArrayAttr(states),
      updateName.getValue(),
      options.isHashed && !isWhole() ? ps::Placement::Hash : ps::Placement::Range,
      options.isMean ? ps::Reduction::Mean : ps::Reduction::Sum, isWhole(), options.isAsynchronous,
      options.staleness ? builder.getI64IntegerAttr(*options.staleness) : IntegerAttr(),
      options.warmUp > 0 ? builder.getI64IntegerAttr(options.warmUp) : IntegerAttr(),
      options.wire && !isWhole() ? TypeAttr::get(options.wire) : TypeAttr(), options.isPrefetched,
      /*neighbours=*/IntegerAttr());
  module.push_back(outlineUpdate(updateName, served));
  auto symbol = FlatSymbolRefAttr::get(name);
  pull(program, symbol);
  isWhole() ? pushWhole(symbol) : pushRows(symbol);
}
