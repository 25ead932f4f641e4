// distribute-shard-optimizer and optimizers of other dialects: those that say that they work
// element by element are sharded, of others nothing is assumed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/Optimizer.h"
#include "dialects/interfaces/Pointwise.h"
#include "passes/distribution/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tutti;

namespace foreign {

/// An optimizer with one state: (variable, gradient, state, rate) -> (variable, state).
template <typename Concrete, template <typename> class... Traits>
class Optimizer : public Op<Concrete, OptimizerOpInterface::Trait, Traits...> {
public:
  using Op<Concrete, OptimizerOpInterface::Trait, Traits...>::Op;
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  Value getVariable() { return this->getOperation()->getOperand(0); }
  OpOperand &getGradientMutable() { return this->getOperation()->getOpOperand(1); }
  SmallVector<Value> getStates() { return {this->getOperation()->getOperand(2)}; }
  Value getLearningRate() { return this->getOperation()->getOperand(3); }
};

/// One whose rate depends on the norm of its whole variable.
class LayerwiseOp : public Optimizer<LayerwiseOp> {
public:
  using Optimizer::Optimizer;
  static StringRef getOperationName() { return "foreign.layerwise"; }
};

class ElementwiseOp : public Optimizer<ElementwiseOp, Pointwise> {
public:
  using Optimizer::Optimizer;
  static StringRef getOperationName() { return "foreign.elementwise"; }
};

class ForeignDialect : public Dialect {
public:
  explicit ForeignDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<ForeignDialect>()) {
    addOperations<LayerwiseOp, ElementwiseOp>();
  }
  static StringRef getDialectNamespace() { return "foreign"; }
};

} // namespace foreign

static constexpr char kProgram[] = R"(
#w = #train.variable<"w", trainable>
#v = #train.variable<"v", state>
module attributes {{train.program} {{
  collective.group @world {{size = 2 : i64}
  train.dataset @data {{global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<8xf32> {{train.variable = #w}, tensor<8xf32> {{train.variable = #v}) {{
    %w = arith.constant dense<1.0> : tensor<8xf32>
    return %w, %w : tensor<8xf32>, tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {{train.variable = #w}, %v: tensor<8xf32> {{train.variable = #v},
                  %x: tensor<8xf32> {{train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {{train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<8xf32> {{train.variable = #w}, tensor<8xf32> {{train.variable = #v}) {{
    %g = collective.all_reduce mean %x on @world : tensor<8xf32>
    %w1, %v1 = "foreign.{0}"(%w, %g, %v, %lr) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)
    return %w1, %v1 : tensor<8xf32>, tensor<8xf32>
  }
}
)";

namespace {

class ForeignOptimizer : public ::testing::Test {
protected:
  void SetUp() override {
    context.loadDialect<collective::CollectiveDialect, train::TrainDialect, func::FuncDialect,
                        arith::ArithDialect, foreign::ForeignDialect>();
  }

  /// The program with this optimizer, sharded; null, and what the pass said, if that failed.
  OwningOpRef<ModuleOp> shard(StringRef optimizer) {
    auto module = parseSourceString<ModuleOp>(llvm::formatv(kProgram, optimizer).str(), &context);
    EXPECT_TRUE(module);
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      said = diagnostic.str();
      return success();
    });
    PassManager passes(&context);
    passes.addPass(distribution::createShardOptimizerPass());
    if (!module || failed(passes.run(*module)))
      return {};
    return module;
  }

  MLIRContext context;
  std::string said;
};

TEST_F(ForeignOptimizer, isNotShardedUnlessItSaysThatItCanBe) {
  OwningOpRef<ModuleOp> module = shard("layerwise");
  ASSERT_TRUE(module);
  EXPECT_EQ(said,
            "shard-optimizer=1 has no effect: the optimizer of variable \"w\" is not sharded: "
            "'foreign.layerwise' is not known to work element by element, nor is any other");
  module->walk([&](foreign::LayerwiseOp op) {
    for (Type type : op->getResultTypes())
      EXPECT_EQ(cast<ShapedType>(type).getNumElements(), 8);
  });
}

TEST_F(ForeignOptimizer, isShardedIfItIsPointwise) {
  OwningOpRef<ModuleOp> module = shard("elementwise");
  ASSERT_TRUE(module);
  unsigned found = 0;
  module->walk([&](foreign::ElementwiseOp op) {
    ++found;
    for (Type type : op->getResultTypes())
      EXPECT_EQ(cast<ShapedType>(type).getNumElements(), 4);
  });
  EXPECT_EQ(found, 1u);
}

} // namespace
