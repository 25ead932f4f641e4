// tiny-compiler STEP.mlir RANKS: lets Tutti distribute a training step, compiles it, and trains.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tiny.h"
#include "tutti/collectives.h"
#include "tutti/passes/Embedding.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/Support/TargetSelect.h"

#include <future>

using namespace mlir;

static constexpr int64_t batch = 64, steps = 400;

// What compiled code calls: each buffer of a bucket, then the collective, which works in place.
static thread_local tutti_context *context; // a thread is a rank
static thread_local SmallVector<void *> buffers;
static thread_local SmallVector<int64_t> elements;

extern "C" void tiny_buffer(void *buffer, int64_t count) {
  buffers.push_back(buffer), elements.push_back(count);
}

extern "C" void tiny_exchange(int64_t reduces, int64_t how) {
  auto *collective = reduces ? tutti_all_reduce : tutti_broadcast;
  collective(context, /*plan_entry=*/0, TUTTI_GROUP_WORLD, how, TUTTI_F32, buffers.size(),
             buffers.data(), buffers.data(), elements.data());
  buffers.clear(), elements.clear();
}

/// From a step that knows nothing of ranks to the LLVM dialect. Errors were printed.
static LogicalResult compile(ModuleOp module, int64_t ranks) {
  // The step's arguments: variables, inputs, hyperparameters.
  tutti::program::StepRoles roles = {
      {"top", "bottom"}, {"points", "highs", "lows"}, {{"rate", 0.1}}, batch};
  tutti::DistributeOptions options;
  options.shard = tutti::train::ShardMode::Contiguous; // rank r takes block r of the batch
  PassManager passes(module.getContext());
  if (llvm::Error error = tutti::addDistributePipeline(passes, options))
    return emitError(module.getLoc(), llvm::toString(std::move(error)));
  passes.addPass(tutti::specialize::createSpecializeWorldPass({ranks}));
  passes.addPass(tutti::specialize::createSpecializeBatchPass());
  passes.addPass(tutti::communication::createCollectiveVerifyOrderPass());
  if (failed(tutti::program::annotateStep(module, roles)) || failed(passes.run(module)))
    return failure();
  module.print(llvm::errs());
  return tiny::lower(module);
}

/// Calls a compiled function: all parameters are pointers to numbers.
template <typename... Pointers>
static void call(ExecutionEngine &jit, StringRef name, Pointers... pointers) {
  reinterpret_cast<void (*)(Pointers...)>(llvm::cantFail(jit.lookup(name)))(pointers...);
}

/// Trains on rank `rank`'s block of points on two planes; false if ranks could not communicate.
static bool train(ExecutionEngine &jit, int32_t rank, int32_t ranks, const char *connection) {
  std::vector<float> points, highs, lows;
  for (int64_t i = batch / ranks * rank; i < batch / ranks * (rank + 1); ++i) {
    float a = i * 37 % 64 / 32.0f - 1, b = i * 11 % 64 / 32.0f - 1;
    points.insert(points.end(), {a, b, 1});
    highs.push_back(2 * a + 3 * b + 4), lows.push_back(a - b - 2);
  }
  tutti_context_options options = {sizeof options, tutti_backend_shm(), connection, rank, ranks};
  tutti_context_create(&options, &context);
  float now[6], next[6], rate[] = {0.1f}; // of each plane: two slopes and an offset
  call(jit, "initialize", now, now + 3);
  for (int64_t step = 0; step < steps; ++step, std::swap(now, next))
    call(jit, "step", now, now + 3, points.data(), highs.data(), lows.data(), rate, next, next + 3);
  bool isRight = tutti_context_status(context) == TUTTI_OK;
  if (isRight)
    std::printf("rank %d of %d: %.4f a + %.4f b + %.4f, %.4f a + %.4f b + %.4f\n", rank, ranks,
                now[0], now[1], now[2], now[3], now[4], now[5]);
  else
    std::fprintf(stderr, "rank %d: %s\n", rank, tutti_context_message(context));
  tutti_context_destroy(context);
  return isRight;
}

int main(int count, char **arguments) {
  int32_t ranks = count == 3 ? std::atoi(arguments[2]) : 0;
  if (ranks < 1 || batch % ranks != 0)
    return llvm::errs() << "usage: tiny-compiler STEP.mlir RANKS, which divide 64\n", 1;
  DialectRegistry registry;
  registry.insert<tiny::TinyDialect>();
  tutti::registerAllStages(registry);
  registerAllToLLVMIRTranslations(registry);
  MLIRContext mlirContext(registry);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(arguments[1], &mlirContext);
  if (!module || failed(compile(*module, ranks)))
    return 1;
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto jit = llvm::ExitOnError("tiny-compiler: ")(ExecutionEngine::create(*module));
  tutti_meeting *meeting = nullptr;
  if (tutti_meeting_create(tutti_backend_shm(), ranks, /*shared_bytes=*/1 << 20, &meeting))
    return llvm::errs() << tutti_meeting_message(meeting) << "\n", 1;
  std::vector<std::future<bool>> runs;
  for (int32_t rank = 0; rank < ranks; ++rank)
    runs.push_back(std::async(std::launch::async, train, std::ref(*jit), rank, ranks,
                              tutti_meeting_connection(meeting)));
  auto failures = llvm::count_if(runs, [](std::future<bool> &run) { return !run.get(); });
  tutti_meeting_destroy(meeting);
  return failures != 0;
}
