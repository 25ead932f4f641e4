// Schedules as operations on scalars, and the table of one that a file has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/recipe/RateSchedule.h"

#include "dialects/onnx/Onnx.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

using namespace mlir;
using namespace tutti;
using namespace tutti::gradient;

/// "10 0.5" or "10, 0.5"; what is wrong with it, or nothing.
static std::optional<std::string> addRow(StringRef line, Schedule &schedule) {
  SmallVector<StringRef> words;
  llvm::SplitString(line, words, " \t\r,");
  int64_t step;
  double rate;
  if (words.size() != 2 || words[0].getAsInteger(10, step) || words[1].getAsDouble(rate))
    return ("has '" + line.trim() + "', expected a step and a rate").str();
  if (!std::isfinite(rate) || rate < 0)
    return ("has the rate " + words[1] + ", expected a number of at least 0").str();
  if (schedule.table.empty() && step != 0)
    return "begins with step " + std::to_string(step) + ", expected 0";
  if (!schedule.table.empty() && step <= schedule.table.back().first)
    return "has step " + std::to_string(step) + " after step " +
           std::to_string(schedule.table.back().first) + ", expected ascending steps";
  schedule.table.push_back({step, rate});
  return std::nullopt;
}

LogicalResult tutti::gradient::readTable(Schedule &schedule, options::Complain complain) {
  std::string key = "schedule=file:" + schedule.file;
  auto buffer = llvm::MemoryBuffer::getFile(schedule.file, /*IsText=*/true);
  if (!buffer)
    return complain(key + " cannot be read: " + buffer.getError().message());
  schedule.table.clear();
  for (llvm::line_iterator line(**buffer, /*SkipBlanks=*/true); !line.is_at_end(); ++line) {
    StringRef content = line->split('#').first;
    if (content.trim().empty())
      continue;
    if (std::optional<std::string> problem = addRow(content, schedule))
      return complain(key + ": line " + Twine(line.line_number()) + " " + *problem);
  }
  if (schedule.table.empty())
    return complain(key + " has no line; each has a step and the rate that holds from it on");
  return success();
}

namespace {

/// Scalars of f64.
class RateBuilder {
public:
  RateBuilder(OpBuilder &builder, Location location, Value step, const Schedule &schedule)
      : builder(builder), location(location), schedule(schedule), wide(builder.getF64Type()),
        step(cast(step, wide)) {}

  /// What the learning rate is multiplied by.
  Value factor();

  Value cast(Value value, Type type) {
    return onnx::CastOp::create(builder, location, value, TypeAttr::get(type));
  }
  template <typename Op> Value apply(ValueRange operands) {
    return Op::create(builder, location, operands);
  }

private:
  Value afterWarmup();
  Value fromTable();
  Value number(double value) { return constant({value}, {}); }
  Value constant(ArrayRef<double> values, ArrayRef<int64_t> shape) {
    auto type = RankedTensorType::get(shape, wide);
    return onnx::ConstantOp::create(builder, location, DenseElementsAttr::get(type, values));
  }
  /// Steps since the warm-up, at least 0.
  Value stepsAfterWarmup() {
    if (schedule.warmupSteps == 0)
      return step;
    Value since = apply<onnx::SubOp>({step, number(double(schedule.warmupSteps))});
    return apply<onnx::MaxOp>({since, number(0)});
  }

  OpBuilder &builder;
  Location location;
  const Schedule &schedule;
  Type wide;
  Value step;
};

} // namespace

/// The rate of the last row whose step is reached.
Value RateBuilder::fromTable() {
  SmallVector<double> steps, rates;
  for (auto [from, rate] : schedule.table)
    steps.push_back(double(from)), rates.push_back(rate);
  int64_t rows = steps.size();
  Value reached = apply<onnx::LessOrEqualOp>({constant(steps, rows), step});
  Value count = onnx::ReduceSumOp::create(builder, location, cast(reached, wide), /*axes=*/nullptr,
                                          /*keepdims=*/0, /*noop_with_empty_axes=*/0);
  Value row = cast(apply<onnx::SubOp>({count, number(1)}), builder.getI64Type());
  return onnx::GatherOp::create(builder, location, constant(rates, rows), row, /*axis=*/0);
}

/// 1 during the warm-up, then what the schedule says.
Value RateBuilder::afterWarmup() {
  Value done = stepsAfterWarmup();
  double length = double(schedule.totalSteps.value_or(1) - schedule.warmupSteps);
  auto progress = [&]() -> Value { // from 0 to 1
    Value part = apply<onnx::DivOp>({done, number(length)});
    return apply<onnx::MinOp>({part, number(1)});
  };
  switch (schedule.kind) {
  case Schedule::Kind::Constant:
    return number(1);
  case Schedule::Kind::Linear:
    return apply<onnx::SubOp>({number(1), progress()});
  case Schedule::Kind::Cosine: {
    Value angle = apply<onnx::MulOp>({progress(), number(llvm::numbers::pi)});
    Value above = apply<onnx::AddOp>({apply<onnx::CosOp>(angle), number(1)});
    return apply<onnx::MulOp>({above, number(0.5)});
  }
  case Schedule::Kind::Step: {
    Value falls = apply<onnx::DivOp>({done, number(double(*schedule.stepSize))});
    return apply<onnx::PowOp>({number(schedule.gamma), apply<onnx::FloorOp>(falls)});
  }
  case Schedule::Kind::Table:
    return fromTable();
  }
  llvm_unreachable("all kinds are covered");
}

Value RateBuilder::factor() {
  Value after = afterWarmup();
  if (schedule.warmupSteps == 0)
    return after;
  Value rising = apply<onnx::DivOp>({step, number(double(schedule.warmupSteps))});
  return apply<onnx::MulOp>({apply<onnx::MinOp>({rising, number(1)}), after});
}

Value tutti::gradient::addScheduledRate(OpBuilder &builder, Location location, Value rate,
                                        Value step, const Schedule &schedule) {
  RateBuilder rates(builder, location, step, schedule);
  Value factor = rates.cast(rates.factor(), builder.getF32Type());
  return rates.apply<onnx::MulOp>({rate, factor});
}
