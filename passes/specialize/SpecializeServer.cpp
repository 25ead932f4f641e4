// The pass specialize-server: from a program with tables to the program that servers run on rows of
// one of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/Passes.h"

#include "dialects/ps/Ps.h"
#include "dialects/train/ProgramClaims.h"
#include "dialects/train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tutti;
using train::TrainDialect;

namespace tutti::specialize {
#define GEN_PASS_DEF_SPECIALIZESERVERPASS
#include "passes/specialize/Passes.h.inc"
} // namespace tutti::specialize

namespace {

/// Writes the program of one table: rows, states and gradients are what it is fed, as samples are
/// fed to other programs; what a push brings beside them are its variables, which the host sets.
class ServerProgram {
public:
  ServerProgram(ModuleOp module, ps::TableOp table, func::FuncOp update)
      : builder(ImplicitLocOpBuilder::atBlockEnd(table.getLoc(), module.getBody())), table(table),
        update(update),
        scalars(update.getArgumentTypes().drop_front(table.getStates().size() + 2)) {}

  void write(int64_t rows) {
    train::DatasetOp::create(builder, "rows", builder.getI64IntegerAttr(rows), train::ShardAttr());
    writeInitialize();
    writeStep();
  }

private:
  Attribute variable(unsigned scalar) {
    return train::VariableAttr::get(builder.getContext(), "scalar." + std::to_string(scalar),
                                    train::VariableClass::Other);
  }

  func::FuncOp createFunction(StringRef name, TypeRange arguments, TypeRange results) {
    auto function =
        func::FuncOp::create(builder, name, builder.getFunctionType(arguments, results));
    function.addEntryBlock();
    for (unsigned i = 0; i < scalars.size(); ++i)
      function.setResultAttr(i, TrainDialect::kVariable, variable(i));
    return function;
  }

  void writeInitialize() {
    func::FuncOp function = createFunction("initialize", {}, scalars);
    auto inside = ImplicitLocOpBuilder::atBlockEnd(table.getLoc(), &function.getBody().front());
    SmallVector<Value> zeros;
    for (Type scalar : scalars)
      zeros.push_back(arith::ConstantOp::create(inside, inside.getZeroAttr(scalar)));
    func::ReturnOp::create(inside, zeros);
  }

  /// The names of the variable and of its states.
  SmallVector<StringRef> names() {
    SmallVector<StringRef> all = {table.getSymName()};
    for (auto state : table.getStates().getAsRange<ps::StateAttr>())
      all.push_back(state.getName());
    return all;
  }

  void writeStep() {
    auto rows = update.getArgumentTypes().drop_back(scalars.size());
    SmallVector<Type> arguments(scalars), results(scalars);
    llvm::append_range(arguments, rows);
    llvm::append_range(results, update.getResultTypes());
    func::FuncOp step = createFunction("step", arguments, results);
    SmallVector<StringRef> held = names();
    auto dataset = FlatSymbolRefAttr::get(builder.getContext(), "rows");
    for (unsigned i = 0; i < scalars.size(); ++i)
      step.setArgAttr(i, TrainDialect::kVariable, variable(i));
    for (unsigned i = 0; i < rows.size(); ++i) {
      StringRef name = i < held.size() ? held[i] : StringRef("gradient");
      step.setArgAttr(scalars.size() + i, TrainDialect::kInput,
                      train::InputAttr::get(builder.getContext(), name, dataset));
    }
    for (unsigned i = 0; i < held.size(); ++i)
      step.setResultAttr(scalars.size() + i, TrainDialect::kOutput, builder.getStringAttr(held[i]));
    fill(step, rows.size());
  }

  /// The update's own text, with its scalars, which come last there, in front.
  void fill(func::FuncOp step, size_t rows) {
    auto inside = ImplicitLocOpBuilder::atBlockEnd(update.getLoc(), &step.getBody().front());
    ArrayRef<BlockArgument> given = step.getArguments();
    IRMapping mapping;
    for (auto [i, argument] : llvm::enumerate(update.getArguments()))
      mapping.map(argument, i < rows ? given[scalars.size() + i] : given[i - rows]);
    Block &body = update.getBody().front();
    for (Operation &op : body.without_terminator())
      inside.clone(op, mapping);
    SmallVector<Value> results(given.take_front(scalars.size()));
    for (Value result : body.getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(result));
    func::ReturnOp::create(inside, results);
  }

  ImplicitLocOpBuilder builder;
  ps::TableOp table;
  func::FuncOp update;
  ArrayRef<Type> scalars;
};

struct SpecializeServer : specialize::impl::SpecializeServerPassBase<SpecializeServer> {
  using SpecializeServerPassBase::SpecializeServerPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto served = module.lookupSymbol<ps::TableOp>(table);
    if (!served) {
      mlir::emitError(module.getLoc()) << "specialize-server: there is no table '" << table << "'";
      return signalPassFailure();
    }
    auto update = module.lookupSymbol<func::FuncOp>(served.getUpdate());
    if (!update || update.isExternal() || !update.getBody().hasOneBlock()) {
      served.emitOpError("is updated by ") << served.getUpdateAttr() << ", which has no one block";
      return signalPassFailure();
    }
    SmallVector<Operation *> others;
    for (Operation &op : *module.getBody())
      others.push_back(&op);
    // The name of the dataset may be one of theirs.
    ModuleOp written = ModuleOp::create(module.getLoc());
    ServerProgram(written, served, update).write(served.getWhole() ? 1 : rows);
    for (Operation *op : others)
      op->erase();
    // Workers may have parts of variables, and wait for their batch; a server has no neighbours.
    for (StringRef name :
         {train::kTensorParts, train::kTensorRanges, train::kTensorBlocks, train::kAtBatch})
      module->removeAttr(name);
    module.getBody()->getOperations().splice(module.getBody()->end(),
                                             written.getBody()->getOperations());
    written->erase();
  }
};

} // namespace
