// What lowering tells the manifest, and the memory that follows from it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/Manifest.h"

using namespace mlir;
using namespace tutti;

/// The layout of an arena as the pass lower-plan-memory recorded it.
static std::vector<manifest::ArenaBuffer> buffersOf(ArrayAttr layout) {
  std::vector<manifest::ArenaBuffer> buffers;
  for (auto buffer : layout.getAsRange<ArrayAttr>()) {
    auto place = cast<DenseI64ArrayAttr>(buffer[1]).asArrayRef();
    buffers.emplace_back(cast<StringAttr>(buffer[0]).str(), place[0], place[1], place[2], place[3]);
  }
  return buffers;
}

/// What the pass lower-offload-states found.
static void addUses(manifest::Manifest &manifest, Operation *step) {
  auto uses = step->getAttrOfType<DenseI64ArrayAttr>("kernel.state_uses");
  auto window = step->getAttrOfType<IntegerAttr>("kernel.state_window");
  if (!uses || !window)
    return;
  manifest.window = window.getInt();
  for (auto [variable, use] : llvm::zip(manifest.variables, uses.asArrayRef()))
    if (use >= 0)
      variable.use = use;
}

void tutti::execution::addLowered(manifest::Manifest &manifest, ModuleOp lowered) {
  std::pair<StringLiteral, int64_t *> arenas[] = {{"initialize", &manifest.arena.initialize},
                                                  {"step", &manifest.arena.step},
                                                  {"evaluate", &manifest.arena.evaluate},
                                                  {"prefetch", &manifest.arena.prefetch}};
  for (auto [name, arena] : arenas) {
    Operation *function = lowered.lookupSymbol(name);
    if (!function)
      continue;
    if (auto bytes = function->getAttrOfType<IntegerAttr>("kernel.arena_bytes"))
      *arena = bytes.getInt();
    if (auto layout = function->getAttrOfType<ArrayAttr>("kernel.arena_layout"))
      manifest.layout[name.str()] = buffersOf(layout);
  }
  if (Operation *step = lowered.lookupSymbol("step")) {
    if (auto repeated = step->getAttrOfType<IntegerAttr>("kernel.repeated"))
      manifest.repeated = repeated.getInt();
    addUses(manifest, step);
  }
  if (auto taken = lowered->getAttrOfType<ArrayAttr>("kernel.values"))
    for (auto value : taken.getAsRange<DictionaryAttr>())
      manifest.values.push_back({value.getAs<StringAttr>("name").str(),
                                 value.getAs<IntegerAttr>("bytes").getInt(),
                                 value.getAs<BoolAttr>("initial").getValue()});
}

int64_t tutti::execution::arenaBytesOf(const manifest::Manifest &manifest) {
  const manifest::Arena &arena = manifest.arena;
  return std::max({arena.initialize, arena.step, arena.evaluate, arena.prefetch});
}

static int64_t bytesOf(const manifest::Tensor &tensor) {
  int64_t bytes = program::bytesOfType(tensor.type);
  for (int64_t size : tensor.shape)
    bytes *= size;
  return bytes;
}

int64_t tutti::execution::bytesInFileOf(const manifest::Manifest &manifest) {
  int64_t bytes = 0;
  for (const manifest::Variable &variable : manifest.variables)
    bytes += variable.use ? bytesOf(variable) : 0;
  return manifest.window < bytes ? bytes : 0; // the window has whole pages
}

int64_t tutti::execution::memoryBytesOf(const manifest::Manifest &manifest) {
  constexpr int64_t least = 64; // the granularity of the runtime's allocator
  constexpr int batches = 3;    // of the step, of the next one, and one that is being loaded
  int64_t bytes = arenaBytesOf(manifest) + least;
  auto add = [&](const manifest::Tensor &tensor) { bytes += bytesOf(tensor) + 2 * least; };
  for (const manifest::Variable &variable : manifest.variables)
    if (!variable.use)
      add(variable);
  bytes += manifest.window;
  for (int batch = 0; batch < batches; ++batch)
    llvm::for_each(manifest.step.inputs, add);
  llvm::for_each(manifest.step.metrics, add);
  llvm::for_each(manifest.step.outputs, add);
  for (const manifest::Hyperparameter &parameter : manifest.step.hyperparameters)
    add(parameter.tensor);
  if (manifest.evaluate) {
    llvm::for_each(manifest.evaluate->inputs, add);
    llvm::for_each(manifest.evaluate->metrics, add);
  }
  return bytes;
}
