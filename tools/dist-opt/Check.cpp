// Compiles a model as a launch would, and goes on where it cannot.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-opt/Check.h"

#include "dialects/collective/Collective.h"
#include "dialects/onnx/Onnx.h"
#include "dialects/train/DoubtfulVariables.h"
#include "dialects/train/Train.h"
#include "lib/diagnostics/QuietDiagnostics.h"
#include "lib/diagnostics/RemarkPrinter.h"
#include "lib/frontend/ImportOnnx.h"
#include "lib/frontend/InputFile.h"
#include "passes/Pipelines.h"
#include "passes/compile/Pipelines.h"
#include "passes/gradient/Pipelines.h"
#include "passes/specialize/Passes.h"
#include "passes/specialize/VaryBatch.h"
#include "tools/dist-opt/Obstacles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <memory>
#include <tuple>

using namespace mlir;
using namespace tutti;

// Stand-ins: zeros and inputs in the place of an operation, so that the rest still compiles.

static bool isBatchOnly(RankedTensorType type) {
  return type.getNumDynamicDims() == 1 && type.isDynamicDim(0);
}

static bool canStandIn(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  bool isNumber = type && type.getElementType().isIntOrFloat();
  return value.use_empty() || (isNumber && (type.hasStaticShape() || isBatchOnly(type)));
}

static Value makeInput(func::FuncOp function, RankedTensorType type, Location location) {
  unsigned index = function.getNumArguments();
  Builder builder(function.getContext());
  auto input = train::InputAttr::get(function.getContext(), "stand_in_" + std::to_string(index),
                                     FlatSymbolRefAttr::get(function.getContext(), "data"));
  auto role = builder.getDictionaryAttr(builder.getNamedAttr(train::TrainDialect::kInput, input));
  (void)function.insertArgument(index, type, role, location);
  return function.getArgument(index);
}

static Value makeZeros(Operation *op, RankedTensorType type) {
  OpBuilder builder(op);
  auto zeros = DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType()));
  return onnx::ConstantOp::create(builder, op->getLoc(), zeros);
}

/// Replaces the results of `op`, which stands in a function of a training program, and erases it:
/// by zeros where the shape is known, by a new input of the function where the batch is the only
/// size that is not. Fails, and changes nothing, where neither is possible.
static LogicalResult replaceByStandIn(Operation *op) {
  auto function = dyn_cast<func::FuncOp>(op->getParentOp());
  if (!function || !llvm::all_of(op->getResults(), canStandIn))
    return failure();
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    auto type = cast<RankedTensorType>(result.getType());
    result.replaceAllUsesWith(type.hasStaticShape() ? makeZeros(op, type)
                                                    : makeInput(function, type, op->getLoc()));
  }
  op->erase();
  return success();
}

namespace {

/// Keeps what passes tell about the roles of samples.
struct FactKeeper : remark::detail::MLIRRemarkStreamerBase {
  FactKeeper(Obstacles &obstacles, MLIRContext *context) : obstacles(obstacles), context(context) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    if (!diagnostics::QuietRemarks::isQuiet(context))
      obstacles.addFact(diagnostics::spellNote(remark));
  }
  Obstacles &obstacles;
  MLIRContext *context;
};

class ModelCheck {
public:
  /// Sizes that only data would say are `assumedSize`, or open if that is 0.
  ModelCheck(const CheckRequest &request, const DialectRegistry &registry, int64_t assumedSize)
      : request(request), context(registry, MLIRContext::Threading::DISABLED) {
    survey.assumedSize = assumedSize;
    context.printOpOnDiagnostic(false);
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        addError(diagnostic);
      if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
        obstacles.addHint(diagnostic);
      return success();
    });
    remark::RemarkCategories categories;
    categories.analysis = "distribute-verify-samples";
    (void)remark::enableOptimizationRemarks(
        context, std::make_unique<FactKeeper>(obstacles, &context),
        std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
  }

  /// Looks for all obstacles.
  void run() {
    OwningOpRef<ModuleOp> module = readProgram();
    for (const frontend::Survey::Hint &hint : survey.hints)
      obstacles.addHint(hint.problem, hint.remedy, "");
    for (const std::string &name : survey.assumed)
      obstacles.addHint("the size of '" + name + "' is that of the data, and was taken for " +
                            std::to_string(survey.assumedSize),
                        "--size " + name + "=SIZE looks at the model with another", "");
    if (module) {
      listUnknownOperators(*module);
      letBatchVary(*module);
      bool isWhole = survey.skippedNodes == 0 && !hasHole;
      for (int round = 0; isWhole && round < mostRounds && failed(compile(*module)); ++round)
        isWhole = module->getOperation()->removeAttr(train::kDoubtful) ||
                  (firstError && succeeded(takeOut(*module, nodeOf(*firstError))));
    }
  }

  /// Prints them; returns the status to exit with.
  int print() const {
    if (request.style == CheckStyle::Json)
      obstacles.printJson(request.input, survey.skippedNodes, llvm::outs());
    else
      obstacles.printText(request.input, survey.skippedNodes, llvm::outs());
    return isGood() ? 0 : 1;
  }

  bool isGood() const { return obstacles.empty(); }
  bool hasAssumed() const { return !survey.assumed.empty(); }
  /// Whether it saw more of the model, or as much with fewer obstacles; a size that is open is one.
  bool isBetterThan(const ModelCheck &other) const {
    auto rank = [](const ModelCheck &look) {
      return std::tuple(look.survey.skippedNodes, look.obstacles.size(), !look.hasAssumed());
    };
    return rank(*this) < rank(other);
  }

private:
  static constexpr int mostRounds = 200;
  static constexpr int64_t ranks = 2, usualBatch = 4; ///< of a rank

  void addError(const Diagnostic &error) {
    obstacles.add(error);
    if (!firstError)
      firstError = error.getLocation();
  }

  OwningOpRef<ModuleOp> readProgram();
  void listUnknownOperators(ModuleOp module);
  void letBatchVary(ModuleOp module);
  LogicalResult takeOut(ModuleOp module, StringRef node);
  LogicalResult compile(ModuleOp module);
  LogicalResult addTraining(ModuleOp module, OpPassManager &passes, options::Complain complain);
  std::string recipeFor(ModuleOp module);

  const CheckRequest &request;
  MLIRContext context;
  frontend::Survey survey;
  Obstacles obstacles;
  std::optional<Location> firstError;
  bool hasHole = false; ///< something could not be taken out
  int64_t batch = usualBatch;
};

} // namespace

OwningOpRef<ModuleOp> ModelCheck::readProgram() {
  auto path = FileLineColLoc::get(&context, request.input, 0, 0);
  llvm::Expected<frontend::InputFile> file = frontend::openInput(request.input);
  if (!file)
    return emitError(path) << llvm::toString(file.takeError()), nullptr;
  switch (file->format) {
  case frontend::InputFormat::Onnx:
    return frontend::importOnnx(request.input, std::move(file->content), &context, &survey,
                                givenFiles());
  case frontend::InputFormat::Unknown:
    return emitError(path) << frontend::explainUnknownFormat(file->text()), nullptr;
  case frontend::InputFormat::MlirText:
  case frontend::InputFormat::MlirBytecode:
    break;
  }
  return parseSourceString<ModuleOp>(file->text(), &context, request.input);
}

/// All at once, because each of them alone would fail the compilation.
void ModelCheck::listUnknownOperators(ModuleOp module) {
  SmallVector<onnx::CustomOp> unknown;
  module.walk([&](onnx::CustomOp op) { unknown.push_back(op); });
  for (onnx::CustomOp op : unknown) {
    if (!op->hasAttr(frontend::kStandIn))
      (void)onnx::rejectCustom(op);
    hasHole |= failed(replaceByStandIn(op));
  }
}

/// The batch is what ranks divide. One that stays fixed is what each of them takes, so that
/// everything else is still looked at.
void ModelCheck::letBatchVary(ModuleOp module) {
  std::optional<specialize::BatchObstacle> found = specialize::varyBatch(module);
  if (!found)
    return;
  batch = found->batch;
  obstacles.add(found->problem,
                "export the model with a batch that varies: dynamic_axes={'x': {0: 'batch'}} of "
                "torch.onnx.export for an input 'x', or its dynamic_shapes where dynamo=True",
                nodeOf(found->location));
}

/// What the graph asks for if the user does not.
std::string ModelCheck::recipeFor(ModuleOp module) {
  std::string recipe = request.train.value_or("");
  auto has = [&](StringRef key) { return StringRef(" " + recipe).contains(" " + key.str() + "="); };
  auto forward = module.lookupSymbol<func::FuncOp>("forward");
  if (!has("global-batch") && !module.getOps<train::DatasetOp>().empty())
    recipe += " global-batch=" + std::to_string(batch * ranks);
  if (forward && !has("loss") && forward.getNumResults() == 1 &&
      forward.getResultAttr(0, train::TrainDialect::kMetric))
    recipe += " loss=output";
  return recipe;
}

LogicalResult ModelCheck::addTraining(ModuleOp module, OpPassManager &passes,
                                      options::Complain complain) {
  if (failed(gradient::addTrainPipeline(passes, recipeFor(module), complain)))
    return failure();
  bool isDistributed = !module.getOps<collective::GroupOp>().empty();
  FailureOr<DistributeOptions> keys =
      DistributeOptions::parse(request.distribute.value_or(""), complain);
  if (failed(keys))
    return failure();
  if (!isDistributed)
    if (llvm::Error error = addDistributePipeline(passes, *keys))
      return complain(llvm::toString(std::move(error)));
  passes.addPass(specialize::createSpecializeWorldPass({ranks}));
  compile::addCompilePipeline(passes, {});
  return success();
}

LogicalResult ModelCheck::compile(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager passes(copy.get()->getName());
  firstError.reset();
  obstacles.forgetFacts();
  auto complain = [&](const Twine &problem) -> LogicalResult {
    return emitError(module.getLoc()) << problem;
  };
  return failed(addTraining(module, passes, complain)) ? failure() : passes.run(*copy);
}

/// Removes the operations of one node, so that what comes after it is seen.
LogicalResult ModelCheck::takeOut(ModuleOp module, StringRef node) {
  SmallVector<Operation *> operations;
  module.walk([&](Operation *op) {
    if (!node.empty() && isa_and_nonnull<onnx::OnnxDialect>(op->getDialect()) &&
        !isa<onnx::ConstantOp>(op) && nodeOf(op->getLoc()) == node)
      operations.push_back(op);
  });
  for (Operation *op : operations)
    if (failed(replaceByStandIn(op)))
      return failure();
  return success(!operations.empty());
}

/// What stands for a size that only data would say, one after the other: 0 leaves it open, as it is
/// where no number fits. Pictures may be too small at 32, and texts too long.
static constexpr int64_t assumedSizes[] = {0, 32, 224};

int tutti::check(const CheckRequest &request, const DialectRegistry &registry) {
  std::unique_ptr<ModelCheck> best;
  for (int64_t size : assumedSizes) {
    auto look = std::make_unique<ModelCheck>(request, registry, size);
    look->run();
    if (size > 0 && !look->hasAssumed())
      break;
    if (!best || look->isBetterThan(*best))
      best = std::move(look);
    if (best->isGood())
      break;
  }
  return best->print();
}
