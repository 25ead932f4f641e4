// tiny-compiler STEP.mlir RANKS: a compiler of its own that lets Tutti distribute its training
// step, then trains.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tiny.h"

#include "tutti/collectives.h"
#include "tutti/dialects/train/Train.h"
#include "tutti/passes/Pipelines.h"
#include "tutti/passes/communication/Passes.h"
#include "tutti/passes/registration/Register.h"
#include "tutti/passes/specialize/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/TargetSelect.h"

#include <algorithm>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
namespace train = tutti::train;

static constexpr int64_t batch = 64, steps = 200;

// What compiled code calls: buffers are collected, then reduced in one call.

static tutti_context *rankContext;
static std::vector<const void *> sources;
static std::vector<void *> destinations;
static std::vector<int64_t> elements;

static void forgetBuffers() { sources.clear(), destinations.clear(), elements.clear(); }

extern "C" void tiny_buffer(int64_t source, int64_t destination, int64_t count) {
  sources.push_back(reinterpret_cast<void *>(source));
  destinations.push_back(reinterpret_cast<void *>(destination));
  elements.push_back(count);
}

extern "C" void tiny_all_reduce(int64_t reduction) {
  tutti_all_reduce(rankContext, 0, TUTTI_GROUP_WORLD, int32_t(reduction), TUTTI_F32, sources.size(),
                   sources.data(), destinations.data(), elements.data());
  forgetBuffers();
}

extern "C" void tiny_broadcast(int64_t root) {
  tutti_broadcast(rankContext, 0, TUTTI_GROUP_WORLD, int32_t(root), TUTTI_F32, sources.size(),
                  sources.data(), destinations.data(), elements.data());
  forgetBuffers();
}

/// Says what the arguments of @initialize and @step are: that is all that Tutti wants to know of a
/// program.
static void annotate(ModuleOp module) {
  MLIRContext *context = module.getContext();
  context->loadDialect<train::TrainDialect>();
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  module->setAttr(train::TrainDialect::kProgram, builder.getUnitAttr());
  train::DatasetOp::create(builder, module.getLoc(), "data", builder.getI64IntegerAttr(batch),
                           train::ShardAttr());
  auto variable = [&](StringRef name) {
    return train::VariableAttr::get(context, name, train::VariableClass::Trainable);
  };
  auto input = [&](StringRef name) {
    return train::InputAttr::get(context, name, FlatSymbolRefAttr::get(context, "data"));
  };
  SmallVector<StringRef> variables = {"slopes", "offset"}, inputs = {"samples", "ones", "labels"};
  auto initialize = module.lookupSymbol<func::FuncOp>("initialize");
  auto step = module.lookupSymbol<func::FuncOp>("step");
  for (auto [index, name] : llvm::enumerate(variables)) {
    initialize.setResultAttr(index, train::TrainDialect::kVariable, variable(name));
    step.setArgAttr(index, train::TrainDialect::kVariable, variable(name));
    step.setResultAttr(index, train::TrainDialect::kVariable, variable(name));
  }
  for (auto [index, name] : llvm::enumerate(inputs))
    step.setArgAttr(2 + index, train::TrainDialect::kInput, input(name));
  step.setArgAttr(5, train::TrainDialect::kHyperparameter,
                  train::HyperparameterAttr::get(context, "rate", builder.getF64FloatAttr(0.1)));
}

static llvm::Error fail(const llvm::Twine &why) { return llvm::createStringError(why); }

/// The step of the file for `ranks` ranks, each of which takes a block of the batch.
static llvm::Error distribute(ModuleOp module, int64_t ranks) {
  annotate(module);
  PassManager passes(module.getContext());
  tutti::DistributeOptions options;
  options.shard = train::ShardMode::Contiguous;
  if (llvm::Error error = tutti::addDistributePipeline(passes, options))
    return error;
  passes.addPass(tutti::specialize::createSpecializeWorldPass({ranks}));
  passes.addPass(tutti::communication::createCollectiveVerifyOrderPass());
  if (failed(passes.run(module)))
    return fail("the step cannot be distributed");
  module.print(llvm::errs());
  return llvm::Error::success();
}

static llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> compile(ModuleOp module) {
  PassManager passes(module.getContext());
  tiny::addLowering(passes);
  if (failed(passes.run(module)))
    return fail("the step cannot be lowered");
  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, *context);
  if (!code)
    return fail("the step cannot be translated");
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto jit = llvm::orc::LLJITBuilder().create();
  if (jit)
    if (llvm::Error error = (*jit)->addIRModule({std::move(code), std::move(context)}))
      return std::move(error);
  return jit;
}

using List = StridedMemRefType<float, 1>;
using Table = StridedMemRefType<float, 2>;
using Number = StridedMemRefType<float, 0>;

/// Numbers, as compiled code takes them.
struct Buffer {
  explicit Buffer(int64_t rows, int64_t columns = 1) : numbers(rows * columns), matrix{} {
    vector = {numbers.data(), numbers.data(), 0, {rows}, {1}};
    matrix = {numbers.data(), numbers.data(), 0, {rows, columns}, {columns, 1}};
  }
  std::vector<float> numbers;
  List vector;
  Table matrix;
};

/// Trains on rank `rank`'s part of points that lie on the plane 2 a + 3 b + 4.
static llvm::Error trainOn(llvm::orc::LLJIT &jit, int64_t rank, int64_t ranks) {
  auto initialize = jit.lookup("_mlir_ciface_initialize"), step = jit.lookup("_mlir_ciface_step");
  if (!initialize || !step)
    return llvm::joinErrors(initialize.takeError(), step.takeError());
  int64_t rows = batch / ranks;
  Buffer slopes(2), offset(1), nextSlopes(2), nextOffset(1), samples(rows, 2), ones(rows, 1),
      labels(rows);
  float rateValue = 0.1f;
  Number rate{&rateValue, &rateValue, 0};
  for (int64_t row = 0; row < rows; ++row) {
    float a = float((rank * rows + row) * 37 % 64) / 32 - 1,
          b = float((rank * rows + row) * 11 % 64) / 32 - 1;
    samples.numbers[2 * row] = a, samples.numbers[2 * row + 1] = b, ones.numbers[row] = 1;
    labels.numbers[row] = 2 * a + 3 * b + 4;
  }
  initialize->toPtr<void(List *, List *)>()(&slopes.vector, &offset.vector);
  auto *run =
      step->toPtr<void(List *, List *, Table *, Table *, List *, Number *, List *, List *)>();
  for (int64_t i = 0; i < steps; ++i) {
    run(&slopes.vector, &offset.vector, &samples.matrix, &ones.matrix, &labels.vector, &rate,
        &nextSlopes.vector, &nextOffset.vector);
    std::copy_n(nextSlopes.numbers.begin(), 2, slopes.numbers.begin());
    offset.numbers[0] = nextOffset.numbers[0];
  }
  if (tutti_context_status(rankContext))
    return fail(tutti_context_message(rankContext));
  llvm::outs() << llvm::format("rank %d of %d: %.4f a + %.4f b + %.4f\n", int(rank), int(ranks),
                               slopes.numbers[0], slopes.numbers[1], offset.numbers[0]);
  return llvm::Error::success();
}

static llvm::Error runRank(llvm::orc::LLJIT &jit, int64_t rank, int64_t ranks,
                           const char *connection) {
  tutti_context_options options = {};
  options.struct_bytes = sizeof options;
  options.backend = tutti_backend_shm();
  options.connection = connection;
  options.rank = int32_t(rank);
  options.size = int32_t(ranks);
  bool isMade = tutti_context_create(&options, &rankContext) == TUTTI_OK;
  llvm::Error error = isMade ? trainOn(jit, rank, ranks) : fail(tutti_context_message(rankContext));
  tutti_context_destroy(rankContext);
  return error;
}

/// All ranks are processes: this one, and copies of it, which have the compiled code already.
static llvm::Error runRanks(llvm::orc::LLJIT &jit, int64_t ranks) {
  tutti_meeting *meeting = nullptr;
  if (tutti_meeting_create(tutti_backend_shm(), int32_t(ranks), 1 << 20, &meeting))
    return fail(tutti_meeting_message(meeting));
  int64_t rank = 0;
  while (rank + 1 < ranks && fork() == 0)
    ++rank; // each copy makes the next one
  llvm::Error error = runRank(jit, rank, ranks, tutti_meeting_connection(meeting));
  int status = 0;
  while (wait(&status) > 0)
    if (status != 0 && !error)
      error = fail("another rank failed");
  tutti_meeting_destroy(meeting);
  return error;
}

static llvm::Error run(const char *file, int64_t ranks) {
  DialectRegistry registry;
  registry.insert<tiny::TinyDialect>();
  tutti::registerAllStages(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED); // this process forks
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(file, &context);
  if (!module)
    return fail("the step cannot be read");
  if (llvm::Error error = distribute(*module, ranks))
    return error;
  auto jit = compile(*module);
  return jit ? runRanks(**jit, ranks) : jit.takeError();
}

int main(int count, char **arguments) {
  int64_t ranks = count == 3 ? std::atoi(arguments[2]) : 0;
  if (ranks < 1 || batch % ranks != 0)
    return llvm::errs() << "usage: tiny-compiler STEP.mlir RANKS, which divide " << batch << "\n",
           1;
  if (llvm::Error error = run(arguments[1], ranks))
    return llvm::errs() << "tiny-compiler: " << llvm::toString(std::move(error)) << "\n", 1;
  return 0;
}
