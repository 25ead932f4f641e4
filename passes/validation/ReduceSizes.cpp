// Gives copies of programs the sizes that their classes have after reduction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/validation/ReduceSizes.h"

#include "dialects/collective/Collective.h"
#include "dialects/onnx/Onnx.h"
#include "dialects/ps/Ps.h"
#include "dialects/train/Train.h"
#include "lib/interpreter/Tensor.h"
#include "passes/specialize/Specialization.h"
#include "passes/validation/SizeRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::validation;
using train::TrainDialect;

//===----------------------------------------------------------------------===//
// Tables on servers
//===----------------------------------------------------------------------===//

/// Of a function whose arguments stand for the tables, in order.
static constexpr StringLiteral kTables = "tutti.tables";

static void declareTables(ModuleOp module) {
  OpBuilder builder(module.getBody(), module.getBody()->end());
  SmallVector<Type> types;
  for (auto table : module.getOps<ps::TableOp>())
    types.push_back(table.getType());
  auto function =
      func::FuncOp::create(builder, module.getLoc(), kTables, builder.getFunctionType(types, {}));
  function.setPrivate();
  builder.setInsertionPointToEnd(function.addEntryBlock());
  func::ReturnOp::create(builder, module.getLoc());
}

static TableValues tablesOf(ModuleOp module) {
  TableValues values;
  auto function = module.lookupSymbol<func::FuncOp>(kTables);
  for (auto [table, value] : llvm::zip_equal(module.getOps<ps::TableOp>(), function.getArguments()))
    values[table.getSymName()] = value;
  return values;
}

/// Rows and states of a table are as long as the arguments of its update.
static void unifyUpdate(ps::TableOp table, Value value, ModuleOp module, SizeClasses &classes) {
  auto update = module.lookupSymbol<func::FuncOp>(table.getUpdate());
  int64_t rank = table.getType().getRank(), first = table.getWhole() ? 0 : 1;
  for (BlockArgument argument : update.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType());
        type && type.getRank() == rank - first + 1)
      for (int64_t i = first; i < rank; ++i)
        classes.unify(argument, i - first + 1, value, i);
}

/// Tables get the types of what stands for them. What they begin with is left to the comparison.
static void resizeTables(ModuleOp module) {
  auto function = module.lookupSymbol<func::FuncOp>(kTables);
  for (auto [table, value] :
       llvm::zip_equal(module.getOps<ps::TableOp>(), function.getArguments())) {
    auto type = cast<RankedTensorType>(value.getType());
    table.setType(type);
    if (isa<ElementsAttr>(table.getInitial()))
      table.setInitialAttr(DenseElementsAttr::get(
          type, cast<Attribute>(Builder(table).getZeroAttr(type.getElementType()))));
  }
  function->erase();
}

//===----------------------------------------------------------------------===//
// One copy
//===----------------------------------------------------------------------===//

/// The values that programs have in common: variables by name, and inputs.
static void unifyByName(ArrayRef<ModuleOp> modules, SizeClasses &classes) {
  llvm::StringMap<Value> variables, inputs;
  auto meet = [&](llvm::StringMap<Value> &known, StringRef name, Value value) {
    auto [place, isNew] = known.try_emplace(name, value);
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return;
    classes.anchor(classes.of(value, 0, type.getRank()));
    auto other = cast<RankedTensorType>(place->second.getType());
    for (int64_t i = 0; !isNew && i < type.getRank() && other.getRank() == type.getRank(); ++i)
      classes.unify(place->second, i, value, i);
  };
  for (ModuleOp module : modules)
    for (const auto &table : tablesOf(module)) {
      meet(variables, table.first(), table.second);
      unifyUpdate(module.lookupSymbol<ps::TableOp>(table.first()), table.second, module, classes);
    }
  for (ModuleOp module : modules)
    for (auto function : module.getOps<func::FuncOp>()) {
      Operation *end = function.getBody().front().getTerminator();
      for (BlockArgument argument : function.getArguments()) {
        unsigned i = argument.getArgNumber();
        if (auto role = function.getArgAttrOfType<train::VariableAttr>(i, TrainDialect::kVariable))
          meet(variables, role.getName(), argument);
        if (auto role = function.getArgAttrOfType<train::InputAttr>(i, TrainDialect::kInput)) {
          auto [place, isNew] = inputs.try_emplace(role.getName(), argument);
          for (int64_t d = 0, rank = cast<RankedTensorType>(argument.getType()).getRank();
               !isNew && d < rank; ++d)
            classes.unify(place->second, d, argument, d);
        }
      }
      for (OpOperand &result : end->getOpOperands())
        if (auto role = function.getResultAttrOfType<train::VariableAttr>(result.getOperandNumber(),
                                                                          TrainDialect::kVariable))
          meet(variables, role.getName(), result.get());
    }
}

namespace {

/// Rewrites one copy of a program. The copy's operations stand in the order of the original's,
/// whose values the classes know.
class Resizer {
public:
  Resizer(SizeClasses &classes, ModuleOp original, ModuleOp copy)
      : classes(classes), original(original), copy(copy), tables(tablesOf(original)) {}

  LogicalResult run() {
    SmallVector<Operation *> from, to;
    original.walk<WalkOrder::PreOrder>([&](Operation *op) { from.push_back(op); });
    copy.walk<WalkOrder::PreOrder>([&](Operation *op) { to.push_back(op); });
    for (auto [before, after] : llvm::zip_equal(from, to)) {
      for (auto [old, value] : llvm::zip(before->getResults(), after->getResults()))
        value.setType(typeOf(old));
      for (auto [oldRegion, region] : llvm::zip(before->getRegions(), after->getRegions()))
        for (auto [oldBlock, block] : llvm::zip(oldRegion, region))
          for (auto [old, value] : llvm::zip(oldBlock.getArguments(), block.getArguments()))
            value.setType(typeOf(old));
    }
    for (auto [before, after] : llvm::zip_equal(from, to))
      if (failed(rewriteSizes(before, after)))
        return failure();
    for (auto function : copy.getOps<func::FuncOp>())
      if (failed(setFutures(function)) || failed(specialize::refineTypes(function)))
        return failure();
    resizeTables(copy);
    return success(allPositive() && succeeded(verify(copy)));
  }

private:
  RankedTensorType reduced(Value old) {
    auto type = cast<RankedTensorType>(old.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (!type.isDynamicDim(i))
        shape[i] = classes.reduced(classes.of(old, i));
    return type.clone(shape);
  }
  Type typeOf(Value old) {
    return isa<RankedTensorType>(old.getType()) ? Type(reduced(old)) : old.getType();
  }

  /// Futures promise what their bodies yield.
  LogicalResult setFutures(func::FuncOp function) {
    function.walk([](collective::AsyncOp async) {
      Operation *yield = async.getBody().front().getTerminator();
      SmallVector<Type> types(yield->getOperandTypes());
      async.getFuture().setType(collective::FutureType::get(async.getContext(), types));
    });
    return success();
  }

  bool allPositive() {
    return !copy.walk([](Operation *op) {
                  for (Value result : op->getResults())
                    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
                      for (int64_t size : type.getShape())
                        if (size == 0)
                          return WalkResult::interrupt();
                  return WalkResult::advance();
                })
                .wasInterrupted();
  }

  LogicalResult rewriteSizes(Operation *before, Operation *after);
  LogicalResult resizeConstant(Operation *before, Operation *after, StringRef name);
  SmallVector<int64_t> stated(ArrayRef<int64_t> sizes, Value old);
  void resizeSlice(Operation *before, Operation *after, Value data, Value part);

  SizeClasses &classes;
  ModuleOp original, copy;
  TableValues tables;
};

} // namespace

/// Sizes that an attribute states of a result; what it leaves open stays so.
SmallVector<int64_t> Resizer::stated(ArrayRef<int64_t> sizes, Value old) {
  SmallVector<int64_t> result(sizes);
  RankedTensorType type = reduced(old);
  int64_t offset = type.getRank() - int64_t(sizes.size());
  for (auto [i, size] : llvm::enumerate(result))
    if (size > 0 && offset + int64_t(i) >= 0 && !type.isDynamicDim(offset + i) && size != 1)
      size = type.getDimSize(offset + i);
  return result;
}

/// The entries of a constant that are left: the first along each dimension.
LogicalResult Resizer::resizeConstant(Operation *before, Operation *after, StringRef name) {
  auto value = before->getAttrOfType<ElementsAttr>(name);
  auto type = dyn_cast<RankedTensorType>(after->getResult(0).getType());
  if (!value || !type || value.getType() == type)
    return success();
  if (!type.hasStaticShape())
    return failure();
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense) { // weights that lie elsewhere: nobody asks what they are
    if (!isa<FloatType>(type.getElementType()))
      return failure();
    after->setAttr(name, DenseElementsAttr::get(type, cast<Attribute>(Builder(after).getZeroAttr(
                                                          type.getElementType()))));
    return success();
  }
  if (dense.isSplat()) {
    after->setAttr(name, dense.resizeSplat(type));
    return success();
  }
  SmallVector<Attribute> all(dense.getValues<Attribute>()), kept;
  SmallVector<int64_t> strides = interpreter::stridesOf(dense.getType().getShape()),
                       steps = interpreter::stridesOf(type.getShape());
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    int64_t place = 0;
    for (auto [d, step] : llvm::enumerate(steps))
      place += i / step % type.getDimSize(d) * strides[d];
    kept.push_back(all[place]);
  }
  after->setAttr(name, DenseElementsAttr::get(type, kept));
  return success();
}

/// Ends that state a size, or what is above all of them, go to the end of the part that is left.
/// One of equal parts is the same one of smaller parts.
void Resizer::resizeSlice(Operation *before, Operation *after, Value data, Value part) {
  auto starts = before->getAttrOfType<DenseI64ArrayAttr>("starts"),
       ends = before->getAttrOfType<DenseI64ArrayAttr>("ends"),
       axes = before->getAttrOfType<DenseI64ArrayAttr>("axes"),
       steps = before->getAttrOfType<DenseI64ArrayAttr>("steps");
  SmallVector<int64_t> first(starts.asArrayRef()), result(ends.asArrayRef());
  RankedTensorType type = reduced(part), given = cast<RankedTensorType>(part.getType()),
                   whole = cast<RankedTensorType>(data.getType());
  for (size_t k = 0; k < result.size(); ++k) {
    int64_t axis = axes ? axes[k] : k;
    axis += axis < 0 ? type.getRank() : 0;
    if (type.isDynamicDim(axis))
      continue;
    int64_t size = given.getDimSize(axis);
    bool isDense = !steps || steps[k] == 1;
    if (starts[k] == 0 && result[k] > 0) {
      result[k] = type.getDimSize(axis);
    } else if (isDense && !whole.isDynamicDim(axis) &&
               isOneOfEqualParts(starts[k], size, whole.getDimSize(axis))) {
      first[k] = starts[k] / size * type.getDimSize(axis);
      result[k] = first[k] + type.getDimSize(axis);
    }
  }
  after->setAttr("starts", DenseI64ArrayAttr::get(after->getContext(), first));
  after->setAttr("ends", DenseI64ArrayAttr::get(after->getContext(), result));
}

LogicalResult Resizer::rewriteSizes(Operation *before, Operation *after) {
  MLIRContext *context = after->getContext();
  if (isa<onnx::ConstantOp, arith::ConstantOp>(before))
    return resizeConstant(before, after, "value");
  llvm::TypeSwitch<Operation *>(before)
      .Case<onnx::ReshapeOp, onnx::ExpandOp>([&](auto op) {
        after->setAttr("shape",
                       DenseI64ArrayAttr::get(context, stated(op.getShape(), op->getResult(0))));
      })
      .Case<onnx::RandomNormalOp, onnx::RandomUniformOp>([&](auto op) {
        after->setAttr("shape",
                       DenseI64ArrayAttr::get(context, reduced(op.getOutput()).getShape()));
      })
      .Case([&](onnx::SplitOp op) {
        int64_t axis = op.getAxis();
        axis += axis < 0 ? cast<RankedTensorType>(op.getInput().getType()).getRank() : 0;
        SmallVector<int64_t> sizes;
        for (Value output : op.getOutputs())
          sizes.push_back(reduced(output).getDimSize(axis));
        after->setAttr("split", DenseI64ArrayAttr::get(context, sizes));
      })
      .Case([&](train::MergeRowsOp op) {
        if (Value table = findTable(op, tables))
          after->setAttr("table_rows",
                         Builder(context).getI64IntegerAttr(classes.reduced(classes.of(table, 0))));
      })
      .Case([&](onnx::SliceOp op) { resizeSlice(before, after, op.getData(), op.getOutput()); })
      .Case([&](onnx::SliceGradOp op) { resizeSlice(before, after, op.getX(), op.getDY()); });
  return success();
}

//===----------------------------------------------------------------------===//
// Both programs
//===----------------------------------------------------------------------===//

static OwningOpRef<ModuleOp> copyOf(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  if (Operation *forward = copy->lookupSymbol("forward")) // which is not compared
    forward->erase();
  declareTables(*copy);
  return copy;
}

static int64_t countVariables(ModuleOp module) {
  int64_t elements = 0;
  auto step = module.lookupSymbol<func::FuncOp>("step");
  for (BlockArgument argument : step.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType());
        type && type.hasStaticShape() &&
        step.getArgAttr(argument.getArgNumber(), TrainDialect::kVariable))
      elements += type.getNumElements();
  for (auto table : module.getOps<ps::TableOp>())
    elements += table.getType().getNumElements();
  return elements;
}

static std::string describeInputs(ModuleOp module) {
  std::string text;
  auto step = module.lookupSymbol<func::FuncOp>("step");
  for (BlockArgument argument : step.getArguments())
    if (auto input = step.getArgAttrOfType<train::InputAttr>(argument.getArgNumber(),
                                                             TrainDialect::kInput)) {
      text += (text.empty() ? "" : ", ") + input.getName().str() + " ";
      for (auto [i, size] : llvm::enumerate(cast<RankedTensorType>(argument.getType()).getShape()))
        text += (i ? "x" : "") + (ShapedType::isDynamic(size) ? "batch" : std::to_string(size));
    }
  return text;
}

static bool areSimple(ModuleOp module) {
  return llvm::all_of(module.getOps<func::FuncOp>(),
                      [](func::FuncOp function) { return function.getBody().hasOneBlock(); });
}

std::optional<ReducedPrograms> tutti::validation::reduceSizes(ModuleOp program,
                                                              ModuleOp reference) {
  OwningOpRef<ModuleOp> ofRanks = copyOf(program), ofDevice;
  SmallVector<ModuleOp> originals{*ofRanks};
  if (reference)
    originals.push_back(*(ofDevice = copyOf(reference)));
  if (!llvm::all_of(originals, areSimple))
    return std::nullopt;
  ScopedDiagnosticHandler quiet(program.getContext(), [](Diagnostic &) { return success(); });
  SizeClasses classes;
  for (ModuleOp module : originals)
    for (auto function : module.getOps<func::FuncOp>())
      addSizeRules(function, tablesOf(module), classes);
  unifyByName(originals, classes);
  for (int64_t spatial : {16, 32, 64, 128, 0}) {
    if (spatial != 0 && spatial >= classes.largestSlidOver())
      continue;
    classes.close(spatial);
    ReducedPrograms reduced;
    reduced.elementsBefore = countVariables(program);
    reduced.program = ofRanks->clone();
    bool isMade = succeeded(Resizer(classes, *ofRanks, *reduced.program).run());
    if (isMade && reference) {
      reduced.reference = ofDevice->clone();
      isMade = succeeded(Resizer(classes, *ofDevice, *reduced.reference).run());
    }
    if (!isMade)
      continue;
    reduced.elementsAfter = countVariables(*reduced.program);
    reduced.inputs = describeInputs(*reduced.program);
    return reduced;
  }
  return std::nullopt;
}
