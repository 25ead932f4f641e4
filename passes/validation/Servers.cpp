// Runs the compiled update of each table on the rows of a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/validation/Servers.h"

#include "passes/compile/Pipelines.h"
#include "passes/specialize/Passes.h"
#include "passes/validation/Comparison.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::interpreter;
using namespace tutti::validation;

/// An update runs on so many rows at once, of a table that has them.
static constexpr int64_t kRowsAtOnce = 64;

/// What a step's gradients of a table add up to, by row, in the order of rows.
struct Servers::Sums {
  std::map<int64_t, std::vector<field::Number>> rows;
  std::vector<TensorRef> scalars;
};

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

/// The text of a table's update on so many rows, but for names.
static std::string describe(func::FuncOp update, ps::TableOp table, int64_t rows) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << rows << ' ' << table.getStates().size() << ' ' << update.getFunctionType();
  update.getBody().front().walk([&](Operation *op) {
    OpPrintingFlags flags;
    op->print(out << '\n', flags.useLocalScope().skipRegions());
  });
  return text;
}

FailureOr<Servers::Update *> Servers::updateOf(ModuleOp program, ps::TableOp table) {
  int64_t rows = std::min(kRowsAtOnce, table.getNumRows());
  auto function = program.lookupSymbol<func::FuncOp>(table.getUpdate());
  std::unique_ptr<Update> &update = known[describe(function, table, rows)];
  if (update)
    return update.get();
  update = std::make_unique<Update>();
  update->rows = rows;
  update->module = program.clone();
  PassManager passes(program.getContext(), ModuleOp::getOperationName());
  specialize::SpecializeServerPassOptions server;
  server.table = table.getSymName();
  server.rows = rows;
  passes.addPass(specialize::createSpecializeServerPass(server));
  compile::addSpecializePipeline(passes, compile::CompileOptions());
  compile::addTensorLoweringPipeline(passes);
  if (failed(passes.run(*update->module)))
    return failure();
  update->prepared = std::make_unique<PreparedModule>(*update->module);
  return update.get();
}

LogicalResult Servers::prepare(ModuleOp program) {
  for (auto table : program.getOps<ps::TableOp>()) {
    if (table.getAsynchronous())
      return emitError(table.getLoc())
             << "--verify: table '" << table.getSymName()
             << "' is asynchronous: what it holds depends on which rank is faster, so there is "
                "nothing to compare; verify the program without serve-mode=async";
    FailureOr<Update *> update = updateOf(program, table);
    if (failed(update))
      return failure();
    placeOf[table.getSymName()] = declared.size();
    for (auto state : table.getStates().getAsRange<ps::StateAttr>())
      placeOf[state.getName()] = declared.size();
    declared.push_back(table);
    updates.push_back(*update);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// A value of a whole variable, as a table's only row.
static Tensor asRows(ps::TableOp table, Tensor value) {
  if (table.getWhole())
    value.shape.insert(value.shape.begin(), 1);
  return value;
}

void Servers::begin(const Scenario &scenario, const Values *whole) {
  tables.clear();
  states.clear();
  for (ps::TableOp table : declared) {
    auto first = [&](StringRef name, ArrayRef<int64_t> shape) {
      TensorRef value = whole ? whole->lookup(name) : nullptr;
      return asRows(table, value ? *value : *scenario.drawFloats(name, shape));
    };
    tables.push_back({first(table.getSymName(), table.getType().getShape()), {}});
    states.emplace_back();
    for (auto state : table.getStates().getAsRange<ps::StateAttr>()) {
      ArrayRef<int64_t> shape = table.getType().getShape();
      bool isPerRow = state.getExtent() == ps::Extent::Row;
      states.back().push_back(first(state.getName(), isPerRow ? shape.take_front(1) : shape));
    }
  }
}

void Servers::addTo(Values &values) const {
  for (auto [number, table] : llvm::enumerate(declared)) {
    auto add = [&, table = table](StringRef name, Tensor value) {
      if (ps::TableOp(table).getWhole())
        value.shape.erase(value.shape.begin());
      values[name] = makeTensor(std::move(value));
    };
    add(ps::TableOp(table).getSymName(), tables[number].rows);
    for (auto [state, value] : llvm::zip_equal(
             ps::TableOp(table).getStates().getAsRange<ps::StateAttr>(), states[number]))
      add(state.getName(), value);
  }
}

void Servers::visit(llvm::function_ref<void(StringRef, Location)> visit) const {
  for (ps::TableOp table : declared) {
    visit(table.getSymName(), table.getLoc());
    for (auto state : table.getStates().getAsRange<ps::StateAttr>())
      visit(state.getName(), table.getLoc());
  }
}

//===----------------------------------------------------------------------===//
// The end of a step
//===----------------------------------------------------------------------===//

/// Adds up what the ranks gave, in their order; the mean divides it by the number of those with
/// samples of their own.
LogicalResult Servers::addPushes(unsigned number, int64_t ranks, Sums &sums) {
  Table &table = tables[number];
  ps::TableOp known = declared[number];
  int64_t rows = table.countRows(), size = table.sizeOfRow();
  for (int64_t rank = 0; rank < ranks; ++rank) {
    std::vector<Push> pushes = std::move(table.pushes[rank]);
    if (pushes.size() != 1)
      return emitError(known.getLoc())
             << "rank " << rank << " of " << ranks << " pushes " << pushes.size()
             << " times in a step to table '" << known.getSymName()
             << "', whose servers wait for one push of each rank";
    Push &push = pushes.front();
    for (auto [i, index] : llvm::enumerate(push.indices->elements)) {
      if (int64_t(index) == rows)
        continue;
      if (int64_t(index) < 0 || int64_t(index) > rows)
        return emitError(push.op->getLoc()) << "gradient of row " << int64_t(index) << " of table '"
                                            << known.getSymName() << "', which has " << rows;
      std::vector<field::Number> &sum = sums.rows[int64_t(index)];
      sum.resize(size, 0);
      for (int64_t k = 0; k < size; ++k)
        sum[k] = field::add(sum[k], push.gradients->elements[i * size + k]);
    }
    if (rank == 0)
      sums.scalars = push.scalars;
    for (auto [own, first] : llvm::zip_equal(push.scalars, sums.scalars))
      if (!areEqual(*own, *first))
        return emitError(push.op->getLoc())
               << "rank " << rank << " of " << ranks << " has another rate or counter for table '"
               << known.getSymName() << "' than rank 0";
  }
  table.pushes.clear();
  if (known.getReduction() == ps::Reduction::Mean)
    for (auto &[row, sum] : sums.rows)
      for (field::Number &element : sum)
        element = field::divide(element, ranks / known.countNeighbours());
  return success();
}

/// Entry `at` of `part` becomes row `row` of `whole`, or the other way round.
static void copyRow(const Tensor &from, int64_t row, Tensor &to, int64_t at) {
  int64_t size = to.size() / to.shape.front();
  auto first = from.elements.begin() + row * size;
  std::copy(first, first + size, to.elements.begin() + at * size);
}

LogicalResult Servers::update(unsigned number, const Sums &sums) {
  Update &update = *updates[number];
  auto step = update.module->lookupSymbol<func::FuncOp>("step");
  SmallVector<Tensor *> held = {&tables[number].rows};
  for (Tensor &state : states[number])
    held.push_back(&state);
  for (auto next = sums.rows.begin(); next != sums.rows.end();) {
    auto begin = next;
    std::vector<Tensor> given;
    for (Tensor *value : held) {
      SmallVector<int64_t> shape(value->shape);
      shape.front() = update.rows;
      given.emplace_back(shape);
    }
    given.push_back(given.front()); // the gradients
    for (int64_t at = 0; at < update.rows && next != sums.rows.end(); ++at, ++next) {
      for (auto [i, value] : llvm::enumerate(held))
        copyRow(*value, next->first, given[i], at);
      llvm::copy(next->second, given.back().elements.begin() + at * next->second.size());
    }
    std::vector<TensorRef> arguments = sums.scalars;
    for (Tensor &value : given)
      arguments.push_back(makeTensor(std::move(value)));
    Ranks alone(1);
    FailureOr<std::vector<TensorRef>> results = failure();
    alone.run([&](int64_t) {
      Machine machine(*update.prepared, alone, RankPlace());
      results = machine.call(step, arguments);
      return succeeded(results);
    });
    if (failed(results))
      return failure();
    int64_t at = 0;
    for (auto row = begin; row != next; ++row, ++at)
      for (auto [i, value] : llvm::enumerate(held))
        copyRow(*(*results)[sums.scalars.size() + i], at, *value, row->first);
  }
  return success();
}

LogicalResult Servers::finishStep(int64_t ranks) {
  rowsBefore.clear();
  for (Table &table : tables)
    rowsBefore.push_back(table.rows);
  statesBefore = states;
  for (unsigned number = 0; number < tables.size(); ++number) {
    Sums sums;
    if (failed(addPushes(number, ranks, sums)) || failed(update(number, sums)))
      return failure();
  }
  return success();
}

void Servers::goBack() {
  for (auto [table, rows] : llvm::zip_equal(tables, rowsBefore))
    table.rows = rows;
  states = statesBefore;
}
