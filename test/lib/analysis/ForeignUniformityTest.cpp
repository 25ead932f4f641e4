// What is believed of operations of dialects that are neither ours nor MLIR's: nothing but
// constants, until the dialect answers for them or the program declares them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/interfaces/Determinism.h"
#include "dialects/train/Train.h"
#include "lib/analysis/Trust.h"
#include "lib/analysis/Uniformity.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tutti;

namespace foreign {

/// An operation that says of itself that it has no effect.
template <typename Concrete, template <typename> class... Traits>
class PureOp : public Op<Concrete, MemoryEffectOpInterface::Trait, Traits...> {
public:
  using Op<Concrete, MemoryEffectOpInterface::Trait, Traits...>::Op;
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  void getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &) {}
};

class ReplicaIdOp : public PureOp<ReplicaIdOp> {
public:
  using PureOp::PureOp;
  static StringRef getOperationName() { return "foreign.replica_id"; }
};

class AddOp : public PureOp<AddOp> {
public:
  using PureOp::PureOp;
  static StringRef getOperationName() { return "foreign.add"; }
};

class ConstantOp
    : public PureOp<ConstantOp, OpTrait::ZeroOperands, OpTrait::OneResult, OpTrait::ConstantLike> {
public:
  using PureOp::PureOp;
  static StringRef getOperationName() { return "foreign.constant"; }
  OpFoldResult fold(ArrayRef<Attribute>) { return (*this)->getAttr("value"); }
};

class ReadOp : public Op<ReadOp, MemoryEffectOpInterface::Trait> {
public:
  using Op::Op;
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  static StringRef getOperationName() { return "foreign.read"; }
  void getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
    effects.emplace_back(MemoryEffects::Read::get());
  }
};

class ForeignDialect : public Dialect {
public:
  explicit ForeignDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<ForeignDialect>()) {
    addOperations<ReplicaIdOp, AddOp, ConstantOp, ReadOp>();
  }
  static StringRef getDialectNamespace() { return "foreign"; }
};

/// Its author knows which operation asks where it runs.
struct Answers : UniformityDialectInterface {
  using UniformityDialectInterface::UniformityDialectInterface;
  bool isDeterministic(Operation *op) const override { return !isa<ReplicaIdOp>(op); }
};

} // namespace foreign

namespace {

class ForeignUniformity : public ::testing::Test {
protected:
  void SetUp() override {
    context.loadDialect<foreign::ForeignDialect, func::FuncDialect, train::TrainDialect>();
  }

  /// Whether the result of `operation`, given the uniform value %u, is uniform in a module with
  /// `attributes`.
  bool isUniform(StringRef operation, StringRef attributes = "{}") {
    constexpr char program[] = R"(
      module attributes {0} {{
        func.func @f(%u: i64 {{train.variable = #train.variable<"u", other>}) {{
          %r = {1}
          return
        }
      })";
    auto module =
        parseSourceString<ModuleOp>(llvm::formatv(program, attributes, operation).str(), &context);
    EXPECT_TRUE(module);
    if (!module)
      return false;
    auto function = *module->getOps<func::FuncOp>().begin();
    return UniformityAnalysis(*module).isUniform(function.front().front().getResult(0));
  }

  MLIRContext context;
};

constexpr char replicaId[] = R"("foreign.replica_id"() : () -> i64)";
constexpr char add[] = R"("foreign.add"(%u) : (i64) -> i64)";
constexpr char constant[] = R"("foreign.constant"() {value = 1 : i64} : () -> i64)";
constexpr char read[] = R"("foreign.read"(%u) : (i64) -> i64)";

TEST_F(ForeignUniformity, noEffectDoesNotDenyThatItAsksForTheRank) {
  EXPECT_FALSE(isUniform(replicaId));
  EXPECT_FALSE(isUniform(add));
}

TEST_F(ForeignUniformity, constantsAreEqual) { EXPECT_TRUE(isUniform(constant)); }

TEST_F(ForeignUniformity, theDialectAnswers) {
  context.getLoadedDialect("foreign")->addInterface<foreign::Answers>();
  EXPECT_FALSE(isUniform(replicaId));
  EXPECT_TRUE(isUniform(add));
  EXPECT_FALSE(isUniform(read));
}

TEST_F(ForeignUniformity, theProgramDeclares) {
  EXPECT_TRUE(isUniform(add, R"({train.deterministic = ["foreign"]})"));
  EXPECT_TRUE(isUniform(add, R"({train.deterministic = ["foreign.add"]})"));
  EXPECT_FALSE(isUniform(add, R"({train.deterministic = ["foreign.ad", "fore"]})"));
  EXPECT_TRUE(isUniform(R"("foreign.add"(%u) {train.deterministic} : (i64) -> i64)"));
}

TEST_F(ForeignUniformity, memoryVariesWhateverIsDeclared) {
  EXPECT_FALSE(isUniform(read, R"({train.deterministic = ["foreign"]})"));
}

TEST_F(ForeignUniformity, theReasonSaysHowToDeclare) {
  auto module = parseSourceString<ModuleOp>(replicaId, &context);
  ASSERT_TRUE(module);
  UniformityAnalysis analysis(*module);
  StringRef reason = analysis.getReason(module->getBody()->front().getResult(0));
  EXPECT_TRUE(reason.contains("train.deterministic = [\"foreign.replica_id\"]")) << reason.str();
}

} // namespace
