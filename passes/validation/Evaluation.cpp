// Holds @evaluate on ranks against @evaluate on one device, as the runtime reports its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/validation/Evaluation.h"

#include "dialects/interfaces/Draws.h"
#include "dialects/onnx/Onnx.h"
#include "dialects/train/EvaluationRoles.h"
#include "passes/validation/Validate.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::interpreter;
using namespace tutti::validation;

std::string tutti::validation::findDrawOfEvaluation(ModuleOp module) {
  auto evaluate = module.lookupSymbol<func::FuncOp>("evaluate");
  std::string found;
  if (!evaluate)
    return found;
  evaluate.walk([&](PlacedDrawsOpInterface op) {
    bool isOfSamples = !op.getSamples() || !op.getSamples()->empty();
    bool draws = cast<UniformityOpInterface>(*op).getResultUniformity(0) == Uniformity::Varying;
    auto dropout = dyn_cast<onnx::DropoutOp>(*op); // which is off, as layers are in evaluation
    if (!isOfSamples || !draws || dropout)
      return WalkResult::advance();
    found = op->getName().getStringRef();
    return WalkResult::interrupt();
  });
  return found;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

FailureOr<Evaluated> Evaluated::of(std::vector<StepRun *> runs, const Scenario &scenario,
                                   Servers &servers, int64_t step, int64_t samplesPerStep) {
  Evaluated evaluated;
  evaluated.results.resize(runs.size());
  Ranks together(runs.size());
  bool isDone = together.run([&](int64_t rank) {
    auto results = runs[rank]->evaluate(scenario, together, servers, step, samplesPerStep);
    if (succeeded(results))
      evaluated.results[rank] = std::move(*results);
    return succeeded(results);
  });
  if (!isDone)
    return failure();
  evaluated.runs = std::move(runs);
  return evaluated;
}

//===----------------------------------------------------------------------===//
// What results are
//===----------------------------------------------------------------------===//

/// As what the runtime reports a result.
static StringRef roleOf(func::FuncOp evaluate, unsigned index) {
  for (StringRef role : train::kRolesOfBatch)
    if (evaluate.getResultAttr(index, role))
      return role;
  return "";
}

static std::string nameOf(func::FuncOp evaluate, unsigned index) {
  for (NamedAttribute attribute : evaluate.getResultAttrs(index))
    if (auto name = dyn_cast<StringAttr>(attribute.getValue()))
      return name.str();
  return "result " + std::to_string(index);
}

/// Of the values of the device's samples those of the samples of `rank`: where one has several,
/// they stand together. Null if the shape says otherwise.
static TensorRef valuesOf(const Tensor &whole, const Tensor &part, ArrayRef<int64_t> samples,
                          ArrayRef<int64_t> ofRank) {
  int64_t perSample = samples.empty() ? 0 : whole.size() / int64_t(samples.size());
  if (perSample * int64_t(ofRank.size()) != part.size())
    return nullptr;
  Tensor expected(part.shape);
  for (auto [i, sample] : llvm::enumerate(ofRank)) {
    int64_t place = llvm::find(samples, sample) - samples.begin();
    std::copy_n(whole.elements.begin() + place * perSample, perSample,
                expected.elements.begin() + i * perSample);
  }
  return makeTensor(std::move(expected));
}

/// The number of a batch that the numbers of all its parts make.
static TensorRef combine(StringRef role, const Evaluated &all, unsigned index) {
  Tensor result = *all.results.front()[index];
  field::Number &total = result.elements.front();
  bool isMean = role == train::kMeanOfBatch, isLargest = role == train::kMaximumOfBatch;
  int64_t samples = 0;
  for (auto [rank, run] : llvm::enumerate(all.runs)) {
    int64_t count = run->place.samples.size();
    field::Number number = all.results[rank][index]->elements.front();
    number = isMean ? field::mul(number, count) : number;
    samples += count;
    if (rank == 0)
      total = number;
    else if (isMean || role == train::kSumOfBatch)
      total = field::add(total, number);
    else if (number == field::kNone || total == field::kNone)
      total = field::kNone;
    else if (field::isLess(number, total) != isLargest)
      total = number;
  }
  if (isMean)
    total = field::divide(total, samples);
  return makeTensor(std::move(result));
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

namespace {
struct EvaluationComparison {
  const Evaluated &device, &ranks;
  int64_t step;
  KnownFactors factors;
  func::FuncOp function;

  LogicalResult compareResult(unsigned index) {
    StringRef role = roleOf(function, index);
    const Tensor &whole = *device.results.front()[index];
    if (!role.empty() && role != train::kNumberOfWholeBatch)
      return check(index, 0, *combine(role, ranks, index), whole);
    for (unsigned rank = 0; rank < ranks.runs.size(); ++rank) {
      const Tensor &found = *ranks.results[rank][index];
      TensorRef expected = role.empty() ? valuesOf(whole, found, device.runs.front()->place.samples,
                                                   ranks.runs[rank]->place.samples)
                                        : device.results.front()[index];
      if (!expected)
        return emitError(locationOf(index)) << describe(index, rank) << " has another shape";
      if (failed(check(index, rank, found, *expected)))
        return failure();
    }
    return success();
  }

  LogicalResult check(unsigned index, int64_t rank, const Tensor &found, const Tensor &expected) {
    if (areEqual(found, expected))
      return success();
    return emitError(locationOf(index))
           << describe(index, rank) << " after step " << step + 1 << ": "
           << describeDifference(found, expected, nullptr, factors);
  }

  std::string describe(unsigned index, int64_t rank) {
    return "'" + nameOf(function, index) + "' that rank " + std::to_string(rank) + " of " +
           std::to_string(ranks.runs.size()) + " evaluates is not that of one device";
  }

  Location locationOf(unsigned index) {
    Operation *op = function.getBody().front().getTerminator()->getOperand(index).getDefiningOp();
    return op ? op->getLoc() : function.getLoc();
  }
};
} // namespace

FailureOr<int64_t> tutti::validation::compareEvaluations(const Evaluated &device,
                                                         const Evaluated &ranks, int64_t step,
                                                         KnownFactors factors) {
  auto function = ranks.runs.front()->program.specialised().lookupSymbol<func::FuncOp>("evaluate");
  EvaluationComparison comparison{device, ranks, step, factors, function};
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    if (failed(comparison.compareResult(index)))
      return failure();
  return int64_t(function.getNumResults());
}
