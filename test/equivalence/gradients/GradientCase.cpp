// One function of tensors whose gradients are checked, and the training program that computes them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/equivalence/gradients/GradientCase.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

#include <algorithm>
#include <random>

using namespace mlir;
using namespace tutti;
using namespace tutti::test;
using train::TrainDialect;

static size_t countElements(RankedTensorType type) {
  size_t count = 1;
  for (int64_t dimension : type.getShape())
    count *= ShapedType::isDynamic(dimension) ? kBatch : dimension;
  return count;
}

template <typename To, typename From>
static std::vector<char> bytesOf(const std::vector<From> &values) {
  std::vector<To> stored(values.begin(), values.end());
  auto *first = reinterpret_cast<const char *>(stored.data());
  return {first, first + stored.size() * sizeof(To)};
}

std::vector<char> Tensor::bytes() const {
  if (values.empty())
    return bytesOf<int64_t>(labels);
  return type.getElementType().isF64() ? bytesOf<double>(values) : bytesOf<float>(values);
}

static std::vector<double> drawValues(size_t count, StringRef kind, std::mt19937 &random) {
  // Not std::uniform_real_distribution: its numbers differ between libraries.
  auto unit = [&] { return static_cast<float>(random() % 1024) / 1024; };
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i) {
    if (kind == "spread")
      values[i] = 0.1f * (static_cast<float>(i) - static_cast<float>(count / 2)) + 0.05f;
    else
      values[i] = kind == "positive" ? 0.5f + 1.5f * unit() : 2 * unit() - 1;
  }
  if (kind == "spread")
    for (size_t i = count; i > 1; --i)
      std::swap(values[i - 1], values[random() % i]);
  return values;
}

static Tensor fill(RankedTensorType type, DictionaryAttr attributes, std::mt19937 &random) {
  Tensor tensor;
  tensor.type = type;
  auto kind = attributes ? attributes.getAs<StringAttr>("test.values") : StringAttr();
  auto classes = attributes ? attributes.getAs<IntegerAttr>("test.classes") : IntegerAttr();
  if (isa<FloatType>(type.getElementType()))
    tensor.values = drawValues(countElements(type), kind ? kind.getValue() : "", random);
  else
    for (size_t i = 0; i < countElements(type); ++i)
      tensor.labels.push_back((i + random() % 2) % classes.getInt());
  tensor.isDifferentiated = isa<FloatType>(type.getElementType()) &&
                            !(attributes && attributes.contains("test.constant"));
  return tensor;
}

GradientCase::GradientCase(func::FuncOp function) : function(function) {
  std::mt19937 random(1);
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    arguments.push_back(fill(cast<RankedTensorType>(type), function.getArgAttrDict(i), random));
  for (Type type : function.getResultTypes())
    weights.push_back(fill(cast<RankedTensorType>(type), {}, random));
}

static void collect(std::vector<Tensor> &from, bool inputs, std::vector<Tensor *> &into) {
  for (Tensor &tensor : from)
    if (tensor.isInput() == inputs)
      into.push_back(&tensor);
}

std::vector<Tensor *> GradientCase::variables() {
  std::vector<Tensor *> result;
  collect(arguments, false, result);
  collect(weights, false, result);
  return result;
}

std::vector<Tensor *> GradientCase::inputs() {
  std::vector<Tensor *> result;
  collect(arguments, true, result);
  collect(weights, true, result);
  return result;
}

namespace {

/// Writes the program of a case.
class ProgramBuilder {
public:
  explicit ProgramBuilder(const GradientCase &gradientCase)
      : gradientCase(gradientCase), builder(func::FuncOp(gradientCase.function).getContext()),
        loc(builder.getUnknownLoc()) {}

  OwningOpRef<ModuleOp> build() {
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    (*module)->setAttr(TrainDialect::kProgram, builder.getUnitAttr());
    builder.setInsertionPointToEnd(module->getBody());
    train::DatasetOp::create(builder, loc, "data", builder.getI64IntegerAttr(kBatch),
                             train::ShardAttr());
    for (const std::vector<Tensor> *tensors : {&gradientCase.arguments, &gradientCase.weights})
      for (const Tensor &tensor : *tensors)
        (tensor.isInput() ? inputs : variables).push_back(&tensor);
    buildInitialize();
    builder.setInsertionPointToEnd(module->getBody());
    buildStep();
    return module;
  }

private:
  DictionaryAttr variableRole(size_t index) {
    std::string name = "variable" + std::to_string(index);
    Attribute role =
        train::VariableAttr::get(builder.getContext(), name, train::VariableClass::Other);
    return builder.getDictionaryAttr(builder.getNamedAttr(TrainDialect::kVariable, role));
  }

  DictionaryAttr inputRole(size_t index) {
    auto dataset = FlatSymbolRefAttr::get(builder.getContext(), "data");
    Attribute role =
        train::InputAttr::get(builder.getContext(), "input" + std::to_string(index), dataset);
    return builder.getDictionaryAttr(builder.getNamedAttr(TrainDialect::kInput, role));
  }

  DictionaryAttr outputRole(size_t index) {
    Attribute name = builder.getStringAttr("output" + std::to_string(index));
    return builder.getDictionaryAttr(builder.getNamedAttr(TrainDialect::kOutput, name));
  }

  SmallVector<Type> typesOf(ArrayRef<const Tensor *> tensors) {
    return llvm::map_to_vector(tensors, [](const Tensor *tensor) -> Type { return tensor->type; });
  }

  /// Zeros: the test writes its own numbers over them.
  void buildInitialize() {
    auto type = builder.getFunctionType({}, typesOf(variables));
    auto initialize = func::FuncOp::create(builder, loc, "initialize", type);
    for (size_t i = 0; i < variables.size(); ++i)
      initialize.setResultAttrs(i, variableRole(i));
    builder.setInsertionPointToEnd(initialize.addEntryBlock());
    SmallVector<Value> values;
    for (const Tensor *tensor : variables)
      values.push_back(onnx::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(tensor->type,
                                 builder.getZeroAttr(tensor->type.getElementType()))));
    func::ReturnOp::create(builder, loc, values);
  }

  void buildStep() {
    SmallVector<const Tensor *> parameters(variables);
    llvm::append_range(parameters, inputs);
    auto step = func::FuncOp::create(builder, loc, "step",
                                     builder.getFunctionType(typesOf(parameters), {}));
    Block *body = step.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    for (auto [tensor, argument] : llvm::zip_equal(parameters, body->getArguments()))
      values[tensor] = argument;
    for (size_t i = 0; i < parameters.size(); ++i)
      step.setArgAttrs(i, i < variables.size() ? variableRole(i) : inputRole(i - variables.size()));

    SmallVector<Value> results(body->getArguments().take_front(variables.size()));
    SmallVector<Value> outputs = cloneFunction();
    llvm::append_range(outputs, buildGradients(outputs));
    llvm::append_range(results, outputs);
    func::ReturnOp::create(builder, loc, results);
    step.setType(builder.getFunctionType(typesOf(parameters), ValueRange(results).getTypes()));
    for (size_t i = 0; i < results.size(); ++i)
      step.setResultAttrs(i, i < variables.size() ? variableRole(i)
                                                  : outputRole(i - variables.size()));
  }

  /// The results of the function, computed from the step's arguments.
  SmallVector<Value> cloneFunction() {
    IRMapping mapping;
    func::FuncOp function = gradientCase.function;
    for (auto [tensor, argument] : llvm::zip_equal(gradientCase.arguments, function.getArguments()))
      mapping.map(argument, values[&tensor]);
    for (Operation &op : function.getBody().front().without_terminator())
      builder.clone(op, mapping);
    return llvm::map_to_vector(function.getBody().front().getTerminator()->getOperands(),
                               [&](Value value) { return mapping.lookup(value); });
  }

  SmallVector<Value> buildGradients(ArrayRef<Value> results) {
    Value total;
    for (auto [weight, result] : llvm::zip_equal(gradientCase.weights, results)) {
      Value product = onnx::MulOp::create(builder, loc, result, values[&weight]);
      Value sum =
          onnx::ReduceSumOp::create(builder, loc, product, DenseI64ArrayAttr(),
                                    builder.getI64IntegerAttr(0), builder.getI64IntegerAttr(0));
      total = total ? Value(onnx::AddOp::create(builder, loc, total, sum)) : sum;
    }
    SmallVector<Value> differentiated;
    for (const Tensor &argument : gradientCase.arguments)
      if (argument.isDifferentiated)
        differentiated.push_back(values[&argument]);
    return train::GradientOp::create(builder, loc, total, differentiated).getGradients();
  }

  const GradientCase &gradientCase;
  OpBuilder builder;
  Location loc;
  SmallVector<const Tensor *> variables, inputs;
  llvm::DenseMap<const Tensor *, Value> values;
};

} // namespace

OwningOpRef<ModuleOp> GradientCase::buildProgram() const { return ProgramBuilder(*this).build(); }
