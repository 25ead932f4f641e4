// tiny-compiler STEP.mlir RANKS [KEYS]: lets Tutti distribute a training step, compiles it, and
// trains. KEYS are those of --distribute.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tiny.h"
#include "tutti/collectives.h"
#include "tutti/passes/Embedding.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/TargetSelect.h"

#include <future>

using namespace mlir;

static constexpr int64_t batch = 64, steps = 400;

// What compiled code calls: each buffer of a bucket, then the collective, which works in place.
static thread_local tutti_context *context; // a thread is a rank
static thread_local int64_t number;
static thread_local SmallVector<void *> buffers;
static thread_local SmallVector<int64_t> elements;

extern "C" void tiny_buffer(void *buffer, int64_t count) {
  buffers.push_back(buffer), elements.push_back(count);
}

extern "C" int64_t tiny_rank() { return number; }

extern "C" void tiny_exchange(int64_t reduces, int64_t how) {
  auto *collective = reduces ? tutti_all_reduce : tutti_broadcast;
  collective(context, /*plan_entry=*/0, TUTTI_GROUP_WORLD, how, TUTTI_F32, buffers.size(),
             buffers.data(), buffers.data(), elements.data());
  buffers.clear(), elements.clear();
}

/// How many numbers a rank has of each variable, and how many samples.
struct Sizes {
  int64_t first, second, samples;
};

/// From a step that knows nothing of ranks to the LLVM dialect. Errors were printed.
static FailureOr<Sizes> compile(ModuleOp module, int64_t ranks, StringRef keys) {
  // The step's arguments: variables, inputs, hyperparameters.
  tutti::program::StepRoles roles = {
      {"first", "second"}, {"points", "highs", "lows"}, {{"rate", 0.1}}, batch};
  auto options = tutti::DistributeOptions::parse(
      keys, [&](const Twine &problem) { return emitError(module.getLoc(), problem); });
  if (failed(options))
    return failure();
  options->shard = tutti::train::ShardMode::Contiguous; // rank r takes block r of the batch
  PassManager passes(module.getContext());
  if (llvm::Error error = tutti::addDistributePipeline(passes, *options))
    return emitError(module.getLoc(), llvm::toString(std::move(error))), failure();
  passes.addPass(tutti::specialize::createSpecializeWorldPass({ranks}));
  passes.addPass(tutti::specialize::createSpecializeBatchPass());
  passes.addPass(tutti::communication::createCollectiveVerifyOrderPass());
  if (failed(tutti::program::annotateStep(module, roles)) || failed(passes.run(module)))
    return failure();
  module.print(llvm::errs());
  auto taken = module.lookupSymbol<func::FuncOp>("step").getArgumentTypes();
  auto count = [&](int i) { return cast<RankedTensorType>(taken[i]).getNumElements(); };
  Sizes sizes = {count(0), count(1), cast<RankedTensorType>(taken[2]).getDimSize(0)};
  return failed(tiny::lower(module)) ? FailureOr<Sizes>() : sizes;
}

/// Calls a compiled function: all parameters are pointers to numbers.
template <typename... Pointers>
static void call(ExecutionEngine &jit, StringRef name, Pointers... pointers) {
  reinterpret_cast<void (*)(Pointers...)>(llvm::cantFail(jit.lookup(name)))(pointers...);
}

/// Trains on rank `rank`'s block of points on two planes, which is that of its neighbours; false if
/// ranks could not communicate.
static bool train(ExecutionEngine &jit, Sizes sizes, int32_t rank, int32_t ranks,
                  const char *connection) {
  std::vector<float> points, highs, lows;
  int64_t begin = rank * (batch / sizes.samples) / ranks * sizes.samples;
  for (int64_t i = begin; i < begin + sizes.samples; ++i) {
    float a = i * 37 % 64 / 32.0f - 1, b = i * 11 % 64 / 32.0f - 1;
    points.insert(points.end(), {a, b, 1});
    highs.push_back(2 * a + 3 * b + 4), lows.push_back(a - b - 2);
  }
  tutti_context_options options = {sizeof options, tutti_backend_shm(), connection, rank, ranks};
  tutti_context_create(&options, &context);
  number = rank;
  std::vector<float> now(sizes.first + sizes.second), next(now);
  float rate[] = {0.1f};
  call(jit, "initialize", now.data(), now.data() + sizes.first);
  for (int64_t step = 0; step < steps; ++step, std::swap(now, next))
    call(jit, "step", now.data(), now.data() + sizes.first, points.data(), highs.data(),
         lows.data(), rate, next.data(), next.data() + sizes.first);
  bool isRight = tutti_context_status(context) == TUTTI_OK;
  std::string text =
      llvm::join(llvm::map_range(now, [](float x) { return std::to_string(x); }), " ");
  if (isRight && now.size() == 6) // of each plane: two slopes and an offset
    std::printf("rank %d of %d: %.4f a + %.4f b + %.4f, %.4f a + %.4f b + %.4f\n", rank, ranks,
                now[0], now[1], now[2], now[3], now[4], now[5]);
  else if (isRight)
    std::printf("rank %d of %d: %s\n", rank, ranks, text.c_str());
  else
    std::fprintf(stderr, "rank %d: %s\n", rank, tutti_context_message(context));
  tutti_context_destroy(context);
  return isRight;
}

int main(int count, char **arguments) {
  int32_t ranks = count == 3 || count == 4 ? std::atoi(arguments[2]) : 0;
  if (ranks < 1 || batch % ranks != 0)
    return llvm::errs() << "usage: tiny-compiler STEP.mlir RANKS [KEYS], RANKS divide 64\n", 1;
  DialectRegistry registry;
  registry.insert<tiny::TinyDialect>();
  tutti::registerAllStages(registry);
  registerAllToLLVMIRTranslations(registry);
  MLIRContext mlirContext(registry);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(arguments[1], &mlirContext);
  if (!module)
    return 1;
  FailureOr<Sizes> sizes = compile(*module, ranks, count == 4 ? arguments[3] : "");
  if (failed(sizes))
    return 1;
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto jit = llvm::ExitOnError("tiny-compiler: ")(ExecutionEngine::create(*module));
  tutti_meeting *meeting = nullptr;
  if (tutti_meeting_create(tutti_backend_shm(), ranks, /*shared_bytes=*/1 << 20, &meeting))
    return llvm::errs() << tutti_meeting_message(meeting) << "\n", 1;
  std::vector<std::future<bool>> runs;
  for (int32_t rank = 0; rank < ranks; ++rank)
    runs.push_back(std::async(std::launch::async, train, std::ref(*jit), *sizes, rank, ranks,
                              tutti_meeting_connection(meeting)));
  auto failures = llvm::count_if(runs, [](std::future<bool> &run) { return !run.get(); });
  tutti_meeting_destroy(meeting);
  return failures != 0;
}
