// mesh=dp:N,tp:N: neighbouring ranks share one model, each with a part of its variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Buckets.h"
#include "passes/strategies/Strategy.h"

using namespace tutti;
using namespace tutti::communication;
using namespace tutti::distribution;
using namespace tutti::strategies;

namespace {
struct MeshKeys {
  std::string mesh = "none";
  std::string rules = "auto";
  bool sequence = false;
};

/// The sizes of the axes; 0 for one that is left open.
struct Axes {
  int64_t groups = 0, neighbours = 1;
};
} // namespace

/// "dp:2,tp:4", or one of the two; a size may be ? or left away for dp.
static std::optional<Axes> readMesh(llvm::StringRef text) {
  Axes axes;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  llvm::StringSet<> seen;
  for (llvm::StringRef part : parts) {
    auto [name, size] = part.split(':');
    int64_t number = 0;
    bool isOpen = name == "dp" && size == "?";
    if (!seen.insert(name).second || (name != "dp" && name != "tp") ||
        (!isOpen && (size.getAsInteger(10, number) || number < 1 || number > 1 << 20)))
      return std::nullopt;
    (name == "dp" ? axes.groups : axes.neighbours) = number;
  }
  return axes;
}

static Axes axesOf(const DistributeOptions &o) {
  return readMesh(o.of<MeshKeys>().mesh).value_or(Axes());
}

bool tutti::strategies::cutsModel(const DistributeOptions &o) { return axesOf(o).neighbours > 1; }

namespace {
class TensorParallel : public Strategy {
  Chapter getChapter() const override { return Chapter::Work; }

  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    auto &own = o.of<MeshKeys>();
    keys.addWord(
        "mesh", own.mesh, {"none"},
        "Axes of ranks: tp:N, N neighbouring ranks share one model, each with a part of its "
        "variables; dp:N, so many groups of neighbours divide the batch, as many as the "
        "ranks make if it is left away",
        "dp:N,tp:N", [](llvm::StringRef text) { return readMesh(text).has_value(); });
    keys.addText("tensor", own.rules, "auto|RULES|auto;RULES",
                 "With mesh=tp:N, which variables are cut, along which dimension: "
                 "PATTERN=DIMENSION;PATTERN=whole, or auto: weights of products, in pairs, but "
                 "those that rules after it name");
    keys.addFlag("sequence", own.sequence,
                 "With mesh=tp:N, also divide the tokens between two pairs of products");
  }

  void addConflicts(ConflictTable &table) const override {
    table.exclude("mesh", {"local-sgd", "diloco", "noise-scale", "sparse=rows", "error-feedback"},
                  "it works on all ranks of a program, and is not yet written for those that hold "
                  "parts of its variables; leave one of the two keys away");
    table.exclude(
        "mesh", {"serve-mode=async"},
        "neighbours compute parts of one step, and meet in it; leave one of the two keys away");
    table.need({"tensor", "sequence"}, "mesh", "mesh=tp:N");
  }

  Refusal findConflict(const DistributeOptions &o) const override {
    const auto &own = o.of<MeshKeys>();
    if (own.mesh == "none" || axesOf(o).neighbours > 1)
      return {};
    std::string given = own.rules != "auto" ? "tensor=" + own.rules
                        : own.sequence      ? "sequence"
                                            : "";
    if (given.empty())
      return {};
    return given + " has no meaning with mesh=" + own.mesh +
           ", in which each rank has the whole model; use tp:2 or more";
  }

  void addPasses(Sequence &sequence, const DistributeOptions &o) const override {
    Axes axes = axesOf(o);
    bool isFixed = axes.groups > 0 && o.of<MeshKeys>().mesh != "none";
    if (axes.neighbours == 1 && !isFixed)
      return;
    sequence.add(Place::Prepare, createMeshPass, {axes.groups, axes.neighbours});
    if (axes.neighbours == 1)
      return;
    TensorPassOptions cut;
    cut.rules = o.of<MeshKeys>().rules;
    cut.sequence = o.of<MeshKeys>().sequence;
    sequence.add(Place::CutModel, createTensorPass, cut, Ranks::Known);
    bool sumsMany = cut.sequence && fusesByLimits(o); // gradients of norms and biases
    if (sumsMany)
      sequence.add(Place::CutModel, createCollectiveFusePass, CollectiveFusePassOptions(),
                   Ranks::Known);
  }
};
} // namespace

static const TensorParallel theTensorParallel;
namespace tutti::strategies {
const Strategy &tensorParallel = theTensorParallel;
} // namespace tutti::strategies
