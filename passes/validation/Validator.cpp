// Runs both programs and compares variables and metrics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/validation/Validator.h"

#include "dialects/collective/Collective.h"
#include "dialects/train/ProgramClaims.h"
#include "lib/program/ValueNames.h"
#include "passes/validation/Cause.h"
#include "passes/validation/Comparison.h"
#include "passes/validation/Evaluation.h"

#include <numeric>

using namespace mlir;
using namespace tutti;
using namespace tutti::interpreter;
using namespace tutti::validation;
using train::TrainDialect;

/// Whether ranks have trainable variables of their own.
static bool hasOwnVariables(func::FuncOp step) {
  bool found = false;
  visitResults<train::VariableAttr>(
      step, TrainDialect::kVariable, [&](unsigned, train::VariableAttr role) {
        found |= role.getVariableClass() == train::VariableClass::Trainable &&
                 role.getPlacement() == train::VariablePlacement::PerRank;
      });
  return found;
}

LogicalResult Validator::prepare() {
  int64_t rest = sharing.isFixed ? 0 : sharing.samplesPerStep % sharing.ranks;
  for (int64_t isFloor = 0; isFloor <= (rest ? 1 : 0); ++isFloor) {
    auto made = ReadyProgram::make(program, sharing, count, 0, !isFloor);
    if (failed(made))
      return failure();
    ofRanks.push_back(std::move(*made));
  }
  trainsAlone = hasOwnVariables(ofRanks.front()->step());
  for (int64_t rank = 0; rank < count; ++rank) {
    RankPlace place{rank, count, 0, sharing.samplesOf(rank), 0};
    if (auto perNode = program->getAttrOfType<IntegerAttr>("collective.ranks_per_node"))
      place.ranksPerNode = perNode.getInt();
    bool isFloor = rest && rank / sharing.neighbours >= rest;
    all.emplace_back(*ofRanks[isFloor ? 1 : 0], place);
  }
  if (trainsAlone && rest)
    return emitError(program.getLoc())
           << "ranks of unequal parts that train on their own are not compared";
  auto made =
      ReadyProgram::make(reference ? reference : program, sharing, 1, sharing.samplesPerStep, true);
  if (failed(made))
    return failure();
  device = std::move(*made);
  if (failed(servers.prepare(ofRanks.front()->specialised())) ||
      failed(deviceServers.prepare(device->specialised())))
    return failure();
  if (trainsAlone && !servers.areNone())
    return emitError(program.getLoc())
           << "ranks that train on their own, with tables on servers, are not compared";
  for (int64_t rank = 0; rank < (trainsAlone ? count : 1); ++rank) {
    std::vector<StepRun *> givers(count, &all[rank]);
    for (int64_t giver = 0; giver < count && !trainsAlone; ++giver)
      givers[giver] = &all[giver];
    one.emplace_back(*device, RankPlace{0, 1, 0, samplesOfDevice(givers), 0});
  }
  return success();
}

/// All samples in their order, or as often as there are ranks those of the one that trains alone. A
/// device that cuts them into micro-batches itself gets them in the order of the ranks', so that
/// its micro-batches are theirs. Neighbours have the same samples, which one of them gives.
std::vector<int64_t> Validator::samplesOfDevice(ArrayRef<StepRun *> givers) {
  std::vector<int64_t> samples(sharing.samplesPerStep);
  std::iota(samples.begin(), samples.end(), 0);
  int64_t parts = reference ? 1 : countParts(program);
  if (sharing.isFixed)
    return trainsAlone ? givers.front()->place.samples : samples;
  if (parts == 1 && !trainsAlone)
    return samples;
  samples.clear();
  for (int64_t part = 0; part < parts; ++part)
    for (size_t giver = 0; giver < givers.size(); giver += sharing.neighbours) {
      ArrayRef<int64_t> all = givers[giver]->place.samples;
      llvm::append_range(samples, all.slice(part * (all.size() / parts), all.size() / parts));
    }
  return samples;
}

LogicalResult Validator::stepDevice(const Scenario &scenario, int64_t step, bool isSpoilt) {
  for (StepRun &run : one) {
    Ranks alone(1);
    if (!alone.run([&](int64_t) {
          return succeeded(
              run.runStep(scenario, alone, deviceServers, step, isSpoilt, sharing.samplesPerStep));
        }) ||
        failed(deviceServers.finishStep(1)))
      return failure();
    deviceServers.addTo(run.last.variables);
  }
  return success();
}

LogicalResult Validator::stepRanks(const Scenario &scenario, int64_t step,
                                   llvm::function_ref<bool(int64_t rank)> isSpoilt) {
  Ranks together(count);
  if (!together.run([&](int64_t rank) {
        return succeeded(all[rank].runStep(scenario, together, servers, step, isSpoilt(rank),
                                           sharing.samplesPerStep));
      }) ||
      failed(servers.finishStep(count)))
    return failure();
  for (StepRun &run : all)
    servers.addTo(run.last.variables);
  return success();
}

LogicalResult Validator::stepBoth(const Scenario &scenario, int64_t step, bool isSpoilt) {
  return failure(failed(stepDevice(scenario, step, isSpoilt)) ||
                 failed(stepRanks(scenario, step, [&](int64_t) { return isSpoilt; })));
}

std::vector<std::pair<int64_t, std::string>> Validator::knownFactors() {
  std::vector<std::pair<int64_t, std::string>> factors = {{count, "rank"}};
  ModuleOp module = ofRanks.front()->specialised();
  for (auto group : module.getOps<collective::GroupOp>())
    if (std::optional<int64_t> size = group.getSetSize(); size && *size != count)
      factors.push_back({*size, ("rank of @" + group.getSymName()).str()});
  module.walk([&](train::MicroBatchOp op) {
    if (factors.back().second != "micro-batche")
      factors.push_back({int64_t(op.getParts()), "micro-batche"});
  });
  for (auto &factor : factors)
    if (factor.second == "micro-batche")
      factor.second = "micro-batch";
  return factors;
}

/// The operation that makes a value before it goes to other ranks in a bucket, whose node may be
/// that of another value.
static Operation *originOf(Value value) {
  Operation *op = value.getDefiningOp();
  while (auto bucket = dyn_cast_or_null<BucketOpInterface>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (number >= bucket.getInputs().size())
      return op;
    value = bucket.getInputs()[number];
    op = value.getDefiningOp();
  }
  return op;
}

/// Where the value of a result is made.
Location Validator::locationOf(func::FuncOp step, StringRef kind, StringRef name) {
  Location location = step.getLoc();
  Operation *end = step.getBody().front().getTerminator();
  auto note = [&](unsigned index) {
    if (Operation *op = originOf(end->getOperand(index)))
      location = op->getLoc();
  };
  visitResults<train::VariableAttr>(step, TrainDialect::kVariable,
                                    [&](unsigned index, train::VariableAttr role) {
                                      if (kind == "variable" && role.getName() == name)
                                        note(index);
                                    });
  visitResults<StringAttr>(step, TrainDialect::kMetric, [&](unsigned index, StringAttr known) {
    if (kind == "metric" && known.getValue() == name)
      note(index);
  });
  servers.visit([&](StringRef held, Location table) {
    if (kind == "variable" && held == name)
      location = table;
  });
  return location;
}

LogicalResult Validator::report(Location location, StringRef kind, StringRef name, int64_t rank,
                                int64_t step, const std::string &difference) {
  InFlightDiagnostic error = emitError(location)
                             << kind << " '" << name << "' of rank " << rank << " of " << count
                             << " is not that of one device after step " << step + 1 << ": "
                             << difference;
  explain(error, step);
  return error;
}

/// Runs the step again, and looks at all that it does.
void Validator::explain(InFlightDiagnostic &error, int64_t step) {
  if (trainsAlone || sharing.isFixed)
    return;
  for (std::vector<StepRun> *runs : {&one, &all})
    for (StepRun &run : *runs)
      run.goBack();
  servers.goBack();
  deviceServers.goBack();
  Scenario scenario(reference ? reference : program, options.seed);
  if (failed(stepBoth(scenario, step, wasSpoilt && step == 0)))
    return;
  Operation *cause = findCause(one.front(), all);
  if (!cause)
    return;
  error.attachNote(cause->getLoc())
      << "at " << program::nodeAt(cause->getLoc())
      << " ranks first have neither the value of one device, nor their samples of it, nor parts "
         "that add up to it";
}

/// The value that ranks hold together, of the shape of `whole`: all of them, or `rank` and those
/// beside it that share a model.
TensorRef Validator::assemble(StringRef name, int64_t rank, const Tensor &whole) {
  Tensor found(whole.shape);
  int64_t parts = sharing.neighbours;
  ModuleOp program = ofRanks.front()->specialised();
  std::optional<ArrayRef<int64_t>> block = train::findTensorBlock(program, name);
  // The block that `rank` shares with ranks as far apart as there are neighbours.
  auto joined = [&](int64_t first, ArrayRef<int64_t> shape) {
    Tensor value(shape);
    int64_t place = 0;
    for (size_t holder = first; holder < all.size(); holder += parts)
      for (uint64_t element : all[holder].last.variables.lookup(name)->elements)
        if (place < value.size())
          value.elements[place++] = element;
    return makeTensor(std::move(value));
  };
  if (parts == 1 || (block && *block == ArrayRef(whole.shape)))
    return joined(rank % parts, whole.shape);
  int64_t ranges = train::getTensorRanges(program, name);
  for (int64_t index = 0; index < parts; ++index) {
    TensorRef held = block ? joined(index, *block)
                           : all[rank / parts * parts + index].last.variables.lookup(name);
    putBlock(*held, index, parts, ranges, found);
  }
  return makeTensor(std::move(found));
}

/// The mean of a value over all replicas of one device.
static TensorRef meanOf(std::vector<StepRun> &runs,
                        llvm::function_ref<TensorRef(StepRun &)> value) {
  Tensor sum = *value(runs.front());
  for (StepRun &run : llvm::drop_begin(runs))
    for (auto [total, next] : llvm::zip(sum.elements, value(run)->elements))
      total = field::add(total, next);
  for (uint64_t &element : sum.elements)
    element = field::divide(element, runs.size());
  return makeTensor(std::move(sum));
}

LogicalResult Validator::compareVariables(int64_t step) {
  func::FuncOp ofRank = ofRanks.front()->specialised().lookupSymbol<func::FuncOp>("step");
  llvm::StringMap<train::VariableAttr> roles;
  visitResults<train::VariableAttr>(
      ofRank, TrainDialect::kVariable,
      [&](unsigned, train::VariableAttr role) { roles[role.getName()] = role; });
  LogicalResult result = success();
  auto check = [&](StringRef name) {
    if (failed(result))
      return;
    train::VariableAttr role = roles.lookup(name);
    if (!role && !servers.hold(name)) {
      result = emitError(ofRank.getLoc()) << "variable '" << name << "' of one device is missing";
      return;
    }
    Location location = locationOf(ofRank, "variable", name);
    ++compared;
    for (int64_t rank = 0; rank < count && succeeded(result); ++rank) {
      StepRun &own = one[trainsAlone ? rank : 0];
      TensorRef expected = own.last.variables.lookup(name), before = own.before.lookup(name);
      hollow += rank == 0 && !wasSpoilt && llvm::is_contained(expected->elements, field::kNone);
      TensorRef found = all[rank].last.variables.lookup(name);
      if (role && role.getPlacement() == train::VariablePlacement::Shard)
        found = assemble(name, rank, *expected);
      if (areEqual(*found, *expected))
        continue;
      TensorRef mean =
          trainsAlone ? meanOf(one, [&](StepRun &run) { return run.last.variables.lookup(name); })
                      : nullptr;
      if (mean && areEqual(*found, *mean))
        continue;
      std::string difference = describeDifference(*found, *expected, before.get(), knownFactors());
      result = report(location, "variable", name, rank, step, difference);
    }
    if (succeeded(result) && trainsAlone)
      for (int64_t rank = 0; rank < count; ++rank) // averaged or not, they go on from there
        one[rank].last.variables[name] = all[rank].last.variables.lookup(name);
  };
  visitResults<train::VariableAttr>(
      device->step(), TrainDialect::kVariable,
      [&](unsigned, train::VariableAttr wanted) { check(wanted.getName()); });
  deviceServers.visit([&](StringRef name, Location) { check(name); });
  return result;
}

LogicalResult Validator::compareMetrics(int64_t step) {
  func::FuncOp ofRank = ofRanks.front()->specialised().lookupSymbol<func::FuncOp>("step");
  LogicalResult result = success();
  auto check = [&](unsigned, StringAttr name) {
    for (int64_t rank = 0; rank < count && succeeded(result); ++rank) {
      TensorRef found = all[rank].last.metrics.lookup(name.getValue());
      if (!found) {
        result = emitError(ofRank.getLoc()) << "metric '" << name.getValue() << "' is missing";
        return;
      }
      StepRun &own = one[trainsAlone ? rank : 0];
      TensorRef expected = own.last.metrics.lookup(name.getValue());
      hollow += rank == 0 && !wasSpoilt && llvm::is_contained(expected->elements, field::kNone);
      if (trainsAlone && !areEqual(*found, *expected))
        expected =
            meanOf(one, [&](StepRun &run) { return run.last.metrics.lookup(name.getValue()); });
      if (areEqual(*found, *expected))
        continue;
      result = report(locationOf(ofRank, "metric", name.getValue()), "metric", name.getValue(),
                      rank, step, describeDifference(*found, *expected, nullptr, knownFactors()));
    }
    ++compared;
  };
  visitResults<StringAttr>(device->step(), TrainDialect::kMetric, check);
  return result;
}

/// Ranks that train alone evaluate variables of their own.
LogicalResult Validator::compareEvaluation(const Scenario &scenario, int64_t step) {
  if (trainsAlone || !device->evaluate() || !ofRanks.front()->evaluate())
    return success();
  std::vector<StepRun *> together;
  for (StepRun &run : all)
    together.push_back(&run);
  auto ofDevice =
      Evaluated::of({&one.front()}, scenario, deviceServers, step, sharing.samplesPerStep);
  if (failed(ofDevice))
    return failure();
  auto ofAll = Evaluated::of(together, scenario, servers, step, sharing.samplesPerStep);
  if (failed(ofAll))
    return failure();
  auto count = compareEvaluations(*ofDevice, *ofAll, step, knownFactors());
  if (succeeded(count))
    evaluated = *count;
  return count;
}

/// Tables begin with what one device has, as all variables do.
void Validator::beginServers(const Scenario &scenario) {
  deviceServers.begin(scenario, nullptr);
  deviceServers.addTo(one.front().last.variables);
  servers.begin(scenario, &one.front().last.variables);
}

LogicalResult Validator::compareRun(bool isSpoilt) {
  Scenario scenario(reference ? reference : program, options.seed);
  for (StepRun &run : one)
    if (failed(run.begin(scenario, nullptr)))
      return failure();
  beginServers(scenario);
  for (auto [rank, run] : llvm::enumerate(all)) {
    run.variation = 0;
    if (failed(run.begin(scenario, &one[trainsAlone ? rank : 0].last.variables)))
      return failure();
  }
  compared = 0;
  hollow = isSpoilt ? hollow : 0;
  wasSpoilt = isSpoilt;
  for (int64_t step = 0; step < options.steps; ++step)
    if (failed(stepBoth(scenario, step, isSpoilt && step == 0)) || failed(compareMetrics(step)) ||
        failed(compareVariables(step)) || failed(compareEvaluation(scenario, step)))
      return failure();
  return success();
}

/// Whether the program asks if its gradients are finite, and does something else where not.
static bool asksWhetherFinite(ModuleOp program) {
  return program.walk([](train::AllFiniteOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Where all ranks took the same samples it is left to see that they take from each other what
/// differs: with samples of their own they agree, too, and where one of rank 0 is spoilt.
LogicalResult Validator::compareRanks(bool isSpoilt) {
  Scenario scenario(reference ? reference : program, options.seed);
  if (failed(one.front().begin(scenario, nullptr)))
    return failure();
  beginServers(scenario);
  for (auto [rank, run] : llvm::enumerate(all)) {
    run.variation = rank + 1;
    if (failed(run.begin(scenario, &one.front().last.variables)))
      return failure();
  }
  if (failed(stepRanks(scenario, 0, [&](int64_t rank) { return isSpoilt && rank == 0; })))
    return failure();
  func::FuncOp step = ofRanks.front()->specialised().lookupSymbol<func::FuncOp>("step");
  LogicalResult result = success();
  auto check = [&](StringRef kind, StringRef name, llvm::function_ref<TensorRef(StepRun &)> get) {
    for (int64_t rank = 1; rank < count && succeeded(result); ++rank)
      if (!areEqual(*get(all[rank]), *get(all[0])))
        result = emitError(locationOf(step, kind, name))
                 << kind << " '" << name << "' of rank " << rank << " of " << count
                 << " is not that of rank 0 after step 1, where their samples differ: nothing "
                    "makes it equal on all ranks";
  };
  visitResults<StringAttr>(step, TrainDialect::kMetric, [&](unsigned, StringAttr name) {
    check("metric", name, [&](StepRun &run) { return run.last.metrics.lookup(name); });
  });
  visitResults<train::VariableAttr>(
      step, TrainDialect::kVariable, [&](unsigned, train::VariableAttr role) {
        if (role.isReplicated())
          check("variable", role.getName(),
                [&](StepRun &run) { return run.last.variables.lookup(role.getName()); });
      });
  return result;
}

LogicalResult Validator::compare() {
  if (failed(compareRun(/*isSpoilt=*/false)))
    return failure();
  bool takesSame = sharing.isFixed && !trainsAlone;
  if (takesSame && failed(compareRanks(/*isSpoilt=*/false)))
    return failure();
  if (!asksWhetherFinite(program))
    return success();
  if (takesSame && failed(compareRanks(/*isSpoilt=*/true)))
    return failure();
  return compareRun(/*isSpoilt=*/true);
}
