// Tests what a rule of sharding says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/layout/OperatorProbe.h"

#include "dialects/onnx/Recurrent.h"
#include "lib/layout/ShardingRules.h"
#include "test/lib/layout/LocalOperation.h"
#include "test/lib/layout/TensorMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <deque>
#include <random>

using namespace mlir;
using namespace tutti;
using namespace tutti::test;

namespace {

RankedTensorType typeOf(Value value) { return memoryTypeOf(value.getType()); }

/// Numbers in a range; whole ones for integers and truths. Ties are rare, but there are some.
Numbers drawNumbers(RankedTensorType type, std::pair<double, double> range, unsigned seed) {
  std::mt19937 generator(seed);
  Numbers numbers(type.getNumElements());
  for (double &number : numbers) {
    double share = (generator() % 1000) / 1000.0;
    number = range.first + share * (range.second - range.first);
    number = isa<FloatType>(type.getElementType()) ? float(number) : std::floor(number);
  }
  return numbers;
}

bool areClose(const Numbers &found, const Numbers &expected, double tolerance) {
  auto isClose = [&](double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b)) ||
           std::abs(a - b) <= tolerance * (1 + std::abs(b));
  };
  return llvm::equal(found, expected, isClose);
}

} // namespace

/// One operation in a program: what goes in and what comes out, by run.
struct OperatorProbe::Variant {
  Operation *op = nullptr; ///< owned by `home`
  std::unique_ptr<Block> home;
  std::vector<std::vector<Numbers>> inputs, outputs;
};

struct OperatorProbe::Program {
  std::vector<Variant> variants; ///< the first one is the whole operation
};

struct OperatorProbe::Split {
  unsigned factor;
  FactorKind kind;
  bool divides;
  int64_t parts;
};

OperatorProbe::OperatorProbe(Compiler &compiler, func::FuncOp example) : compiler(compiler) {
  op = example.getBody().front().getTerminator()->getPrevNode();
  FailureOr<ShardingRule> rule = findShardingRule(op);
  known = succeeded(rule) ? *rule : ShardingRule();
  for (Value operand : op->getOperands()) {
    auto argument = dyn_cast<BlockArgument>(operand); // else a constant
    unsigned index = argument ? argument.getArgNumber() : 0;
    auto number = [&](StringRef name, double otherwise) {
      auto given = argument ? example.getArgAttrOfType<FloatAttr>(index, name) : FloatAttr();
      return given ? given.getValueAsDouble() : otherwise;
    };
    bool isFloat = isa<FloatType>(typeOf(operand).getElementType());
    ranges.push_back({number("test.low", isFloat ? -1 : 0), number("test.high", isFloat ? 1 : 2)});
    values.push_back(drawNumbers(typeOf(operand), ranges.back(), 1 + index));
  }
}

OperatorProbe::~OperatorProbe() = default;

FactorPlace OperatorProbe::placeOf(unsigned operand, unsigned factor) const {
  return {typeOf(op->getOperand(operand)), known.operands[operand], known, factor};
}

FactorPlace OperatorProbe::placeOfResult(unsigned result, unsigned factor) const {
  return {typeOf(op->getResult(result)), known.results[result], known, factor};
}

/// Whether the operand is added to results that are to be added up over the parts: C of a Gemm.
/// Where a result is cut instead, each part needs it.
bool OperatorProbe::countsOnce(unsigned operand, const Split &split) const {
  if (split.kind != FactorKind::Sum || placeOf(operand, split.factor).isThere() ||
      isInResults(split.factor))
    return false;
  return llvm::any_of(known.linear, [&](ArrayRef<unsigned> set) {
    return llvm::is_contained(set, operand) && llvm::any_of(set, [&](unsigned other) {
             return placeOf(other, split.factor).isThere();
           });
  });
}

/// Whether a result is cut along the factor.
bool OperatorProbe::isInResults(unsigned factor) const {
  return llvm::any_of(llvm::seq<unsigned>(0, op->getNumResults()),
                      [&](unsigned i) { return placeOfResult(i, factor).isThere(); });
}

/// Whether masked indices read: then there is an entry of zeros at the end, to which they point.
/// Where they write, nothing is there.
bool OperatorProbe::readsZeros(const Split &split) const {
  return split.kind == FactorKind::Masked && !isInResults(split.factor);
}

/// What the rank of a part has of an operand. Indices of other parts point after its end.
Numbers OperatorProbe::partOf(unsigned operand, const Split &split, int64_t part) const {
  const Numbers &whole = values[operand];
  FactorPlace place = placeOf(operand, split.factor);
  bool isMasked = split.kind == FactorKind::Masked;
  if (place.isThere())
    return readsZeros(split) ? place.cutWithZeros(whole, part, split.parts)
                             : place.cut(whole, part, split.parts);
  if (countsOnce(operand, split) && part > 0)
    return Numbers(whole.size(), 0);
  if (!isMasked || isa<FloatType>(typeOf(op->getOperand(operand)).getElementType()))
    return whole;
  double size = known.factors[split.factor].size / split.parts;
  Numbers indices(whole);
  for (double &index : indices)
    index = index >= part * size && index < (part + 1) * size ? index - part * size : size;
  return indices;
}

std::optional<OperatorProbe::Variant> OperatorProbe::makeVariant(const Split &split) {
  if (!divides(split))
    return std::nullopt;
  SmallVector<RankedTensorType> operands, results;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    FactorPlace place = placeOf(i, split.factor);
    operands.push_back(place.isThere() ? place.partType(split.parts, readsZeros(split))
                                       : typeOf(op->getOperand(i)));
  }
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    FactorPlace place = placeOfResult(i, split.factor);
    results.push_back(place.isThere() ? place.partType(split.parts) : typeOf(op->getResult(i)));
  }
  Variant variant;
  variant.home = std::make_unique<Block>();
  variant.op =
      makeLocal(op, known.factors[split.factor], split.parts, operands, results, *variant.home);
  for (int64_t part = 0; part < split.parts; ++part) {
    auto &inputs = variant.inputs.emplace_back();
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      inputs.push_back(partOf(i, split, part));
  }
  return variant.op ? std::optional<Variant>(std::move(variant)) : std::nullopt;
}

OperatorProbe::Variant OperatorProbe::wholeVariant() {
  SmallVector<RankedTensorType> operands, results;
  for (Value operand : op->getOperands())
    operands.push_back(typeOf(operand));
  for (Value result : op->getResults())
    results.push_back(typeOf(result));
  Variant variant;
  variant.home = std::make_unique<Block>();
  variant.op = makeLocal(op, Factor(), 1, operands, results, *variant.home);
  variant.inputs.push_back(values);
  return variant;
}

/// For each set of operands in which the rule is linear: the operation of other numbers, and of the
/// sum of both. Then one run with other numbers where only shapes matter.
void OperatorProbe::addLinearRuns(Program &program) {
  Variant &whole = program.variants.front();
  for (ArrayRef<unsigned> set : known.linear) {
    std::vector<Numbers> others = values, sums = values;
    for (unsigned operand : set) {
      others[operand] =
          drawNumbers(typeOf(op->getOperand(operand)), ranges[operand], 100 + operand);
      for (auto [sum, other] : llvm::zip_equal(sums[operand], others[operand]))
        sum += other;
    }
    whole.inputs.push_back(others);
    whole.inputs.push_back(sums);
  }
  whole.inputs.push_back(values);
  for (unsigned operand : known.shapesOnly)
    whole.inputs.back()[operand] =
        drawNumbers(typeOf(op->getOperand(operand)), ranges[operand], 100 + operand);
}

/// All variants as one program, whose inputs and outputs are those of the variants in order.
std::string OperatorProbe::textOf(const Program &program) {
  std::vector<std::string> argumentTypes, resultTypes;
  std::string body, results;
  for (auto [index, variant] : llvm::enumerate(program.variants)) {
    std::string name = "%r" + std::to_string(index);
    body += spell(variant.op, name, argumentTypes.size());
    for (Type type : variant.op->getOperandTypes())
      argumentTypes.push_back(spell(memoryTypeOf(type)));
    for (OpResult result : variant.op->getResults()) {
      results += (results.empty() ? "" : ", ") + resultName(name, result.getResultNumber());
      resultTypes.push_back(spell(typeOf(result)));
    }
  }
  body += "return " + results + " : " + llvm::join(resultTypes, ", ");
  return wrapOperator(argumentTypes, resultTypes, body);
}

/// Compiles all variants as one program and runs it as often as the longest of them wants.
bool OperatorProbe::execute(Program &program) {
  auto module = compiler.parse(textOf(program));
  if (!module)
    return false;
  auto request = compiler.request(*module);
  request.pipelines.specialize = [](OpPassManager &) {};
  request.optimization = 1;
  auto compiled = execution::compileProgram(request);
  if (!compiled)
    return llvm::consumeError(compiled.takeError()), false;
  auto loaded = test::LoadedProgram::load(compiled->path());
  if (!loaded)
    return llvm::consumeError(loaded.takeError()), false;
  size_t runs = 0;
  for (const Variant &variant : program.variants)
    runs = std::max(runs, variant.inputs.size());
  for (size_t run = 0; run < runs; ++run)
    if (!executeRun(program.variants, **loaded, run))
      return false;
  return true;
}

bool OperatorProbe::executeRun(std::vector<Variant> &variants, test::LoadedProgram &loaded,
                               size_t run) {
  std::deque<TensorMemory> memory;
  std::vector<void *> inputs, outputs;
  for (const Variant &variant : variants)
    for (auto [operand, numbers] : llvm::zip_equal(
             variant.op->getOperands(), variant.inputs[std::min(run, variant.inputs.size() - 1)])) {
      memory.emplace_back(typeOf(operand)).write(numbers);
      inputs.push_back(memory.back().data());
    }
  size_t first = memory.size();
  for (const Variant &variant : variants)
    for (Value result : variant.op->getResults())
      outputs.push_back(memory.emplace_back(typeOf(result)).data());
  if (llvm::Error error = loaded.step(inputs, outputs))
    return llvm::consumeError(std::move(error)), false;
  for (Variant &variant : variants)
    for (auto &found = variant.outputs.emplace_back(); found.size() < variant.op->getNumResults();)
      found.push_back(memory[first++].read());
  return true;
}

static double combine(FactorKind kind, double a, double b) {
  switch (kind) {
  case FactorKind::Max:
    return std::max(a, b);
  case FactorKind::Min:
    return std::min(a, b);
  case FactorKind::Prod:
    return a * b;
  default:
    return a + b;
  }
}

/// What differs from the whole result, or nothing.
std::string OperatorProbe::compareSplit(const Program &program, const Split &split,
                                        const Variant &variant) {
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    FactorPlace place = placeOfResult(i, split.factor);
    const Numbers &expected = program.variants.front().outputs.front()[i];
    Numbers together = variant.outputs.front()[i];
    bool isSummed = !place.isThere() && split.kind != FactorKind::Pass;
    if (place.isThere())
      together.assign(expected.size(), 0);
    for (int64_t part = 0; part < split.parts; ++part) {
      const Numbers &found = variant.outputs[part][i];
      if (place.isThere())
        place.put(found, together, part, split.parts);
      else if (!isSummed && !areClose(found, expected, 0))
        return "result " + std::to_string(i) + " depends on the part";
      else if (isSummed && part > 0)
        for (auto [sum, more] : llvm::zip_equal(together, found))
          sum = combine(split.kind, sum, more);
    }
    bool divides = split.divides && place.isThere() == (split.kind == FactorKind::Pass);
    for (double &number : together)
      number /= divides ? split.parts : 1;
    if (!areClose(together, expected,
                  isSummed || divides ? std::max(2e-6, tolerance()) : tolerance()))
      return "result " + std::to_string(i) + " of the parts is not that of the whole";
  }
  return "";
}

/// Products are blocked otherwise for other sizes, so that sums are taken in another order.
double OperatorProbe::tolerance() const {
  StringRef name = op->getName().stripDialect();
  bool isRecurrent = tutti::onnx::findRecurrence(op).has_value();
  return isRecurrent || llvm::is_contained({"MatMul", "Gemm", "Conv", "ConvGrad", "matmul"}, name)
             ? 1e-5
             : 0;
}

void OperatorProbe::compareLinear(const Program &program, std::vector<std::string> &faults) {
  const auto &outputs = program.variants.front().outputs;
  for (auto [index, set] : llvm::enumerate(known.linear))
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      Numbers sum = outputs[0][i];
      bool isFixed = llvm::is_contained(known.constantResults, i);
      for (auto [each, other] : llvm::zip_equal(sum, outputs[1 + 2 * index][i]))
        each += isFixed ? 0 : other;
      if (!areClose(sum, outputs[2 + 2 * index][i], 1e-5))
        faults.push_back(
            "not linear in operands " +
            llvm::join(llvm::map_range(set, [](unsigned i) { return std::to_string(i); }), ", "));
    }
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    if (!areClose(outputs[1 + 2 * known.linear.size()][i], outputs[0][i], 0))
      faults.push_back("what stands in an operand of which only the shape should matter does");
}

std::string OperatorProbe::describe(const Split &split) const {
  return known.factors[split.factor].name + " in " + std::to_string(split.parts) + " parts";
}

/// Whether parts of one size can be made of every dimension with the factor.
bool OperatorProbe::divides(const Split &split) const {
  auto isWhole = [&](const FactorPlace &place) {
    return !place.isThere() || place.divides(split.parts);
  };
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (!isWhole(placeOf(i, split.factor)))
      return false;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    if (!isWhole(placeOfResult(i, split.factor)))
      return false;
  return true;
}

/// What the rule says can be split, in 2 and 3 parts as far as sizes allow; what they do not allow
/// at all is a fault of the example.
std::vector<OperatorProbe::Split> OperatorProbe::splits(std::vector<std::string> &faults) const {
  std::vector<Split> all;
  for (auto [index, factor] : llvm::enumerate(known.factors)) {
    if (factor.kind == FactorKind::Whole || factor.kind == FactorKind::Near)
      continue;
    size_t before = all.size();
    for (int64_t parts : {2, 3}) {
      Split split{static_cast<unsigned>(index), factor.kind, factor.divides, parts};
      if (divides(split))
        all.push_back(split);
    }
    if (all.size() == before)
      faults.push_back("neither 2 nor 3 divide " + factor.name);
  }
  return all;
}

std::vector<std::string> OperatorProbe::findFaults() {
  std::vector<std::string> faults;
  if (known.operands.size() != op->getNumOperands() || known.results.size() != op->getNumResults())
    return {"there is no rule"};
  Program program;
  program.variants.push_back(wholeVariant());
  addLinearRuns(program);
  std::vector<Split> tried = splits(faults);
  for (const Split &split : tried) {
    if (std::optional<Variant> variant = makeVariant(split))
      program.variants.push_back(std::move(*variant));
    else
      faults.push_back("the operation does not take " + describe(split));
  }
  if (op->getNumOperands() == 0 || !faults.empty())
    return faults; // what has no operands follows from the index of each element
  if (!execute(program))
    return {"the parts do not run: " + compiler.diagnostics()};
  for (auto [split, variant] : llvm::zip_equal(tried, llvm::drop_begin(program.variants)))
    if (std::string fault = compareSplit(program, split, variant); !fault.empty())
      faults.push_back(describe(split) + ": " + fault);
  compareLinear(program, faults);
  return faults;
}

/// Whether a factor can be split as `kind` says, in two and in three parts.
bool OperatorProbe::holds(unsigned factor, FactorKind kind) {
  Program program;
  program.variants.push_back(wholeVariant());
  std::vector<Split> splits = {{factor, kind, false, 2}, {factor, kind, false, 3}};
  for (const Split &split : splits) {
    auto variant = makeVariant(split);
    if (!variant)
      return false;
    program.variants.push_back(std::move(*variant));
  }
  if (!execute(program))
    return false;
  for (size_t i = 0; i < splits.size(); ++i)
    if (!compareSplit(program, splits[i], program.variants[i + 1]).empty())
      return false;
  return true;
}

std::vector<std::string> OperatorProbe::findMissedFactors() {
  std::vector<std::string> missed;
  for (auto [index, factor] : llvm::enumerate(known.factors)) {
    if (factor.kind != FactorKind::Whole && factor.kind != FactorKind::Near)
      continue;
    for (auto [kind, mark] : {std::pair(FactorKind::Pass, ""), std::pair(FactorKind::Sum, "+")})
      if (holds(index, kind)) {
        missed.push_back(factor.name + " could be " + factor.name + mark);
        break;
      }
  }
  return missed;
}
