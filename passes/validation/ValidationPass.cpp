// The comparison as the last pass, and the program of one device kept for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/validation/Validate.h"

#include "dialects/collective/Collective.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::validation;

namespace {

/// The program before it was distributed.
struct Snapshot {
  OwningOpRef<ModuleOp> program;
};

/// Takes the snapshot before the first pass that distributes.
class SnapshotTaker : public PassInstrumentation {
public:
  explicit SnapshotTaker(std::shared_ptr<Snapshot> snapshot) : snapshot(std::move(snapshot)) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    auto module = dyn_cast<ModuleOp>(op);
    bool distributes = pass->getArgument().starts_with("distribute-") ||
                       pass->getArgument().starts_with("verify-samples");
    if (distributes && module && !snapshot->program && module.getOps<collective::GroupOp>().empty())
      snapshot->program = module.clone();
  }

private:
  std::shared_ptr<Snapshot> snapshot;
};

class ValidationPass : public PassWrapper<ValidationPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ValidationPass)

  ValidationPass(std::shared_ptr<Snapshot> snapshot, ValidationOptions options,
                 std::function<void(StringRef)> tell)
      : snapshot(std::move(snapshot)), options(std::move(options)), tell(std::move(tell)) {}

  StringRef getName() const override { return "ValidationPass"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect, math::MathDialect, scf::SCFDialect,
                    tensor::TensorDialect, collective::CollectiveDialect, kernel::KernelDialect,
                    onnx::OnnxDialect, train::TrainDialect>();
  }

  void runOnOperation() override {
    std::string report;
    ModuleOp reference = snapshot->program ? *snapshot->program : ModuleOp();
    if (failed(validate(getOperation(), reference, options, report)))
      return signalPassFailure();
    tell(report);
    markAllAnalysesPreserved();
  }

private:
  std::shared_ptr<Snapshot> snapshot;
  ValidationOptions options;
  std::function<void(StringRef)> tell;
};

} // namespace

void tutti::validation::addValidation(PassManager &passes, ValidationOptions options,
                                      std::function<void(StringRef)> tell) {
  auto snapshot = std::make_shared<Snapshot>();
  passes.addInstrumentation(std::make_unique<SnapshotTaker>(snapshot));
  passes.addPass(std::make_unique<ValidationPass>(snapshot, std::move(options), std::move(tell)));
}
