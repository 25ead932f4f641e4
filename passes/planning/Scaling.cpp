// One program says what all ranks do, so it is lowered once for each local batch, not for each
// rank.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/planning/Report.h"

#include "dialects/train/Train.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::planning;
using cost::StepTime;

Scaling::Scaling(ModuleOp program, const cost::Cluster &cluster)
    : program(program), cluster(cluster), isAlike(!dependsOnRanks(program)) {}

std::optional<StepTime> Scaling::predict(const Setting &setting) {
  // Of two ranks and of many the program is the same; that of one has lost its collectives.
  Setting representative = setting;
  if (isAlike && setting.localBatch > 0)
    representative.ranks = std::min<int64_t>(setting.ranks, 2);
  auto [place, isNew] = lowered.try_emplace({representative.ranks, representative.localBatch});
  if (isNew)
    place->second = lowerForCosts(program, representative, why);
  if (!place->second)
    return std::nullopt;
  return cost::timeOfStep(*place->second, cluster, setting.ranks);
}

std::optional<StepTime> Scaling::predict(int64_t ranks) { return predict(Setting{ranks, 0}); }

/// 0 where no dataset tells it.
int64_t Scaling::globalBatch() const {
  for (train::DatasetOp dataset : ModuleOp(program).getOps<train::DatasetOp>())
    return dataset.getGlobalBatch().value_or(0);
  return 0;
}

std::vector<ScalingRow> Scaling::predictAll(int64_t ranks) {
  std::vector<ScalingRow> rows;
  int64_t batch = globalBatch();
  if (ranksOf(program) || batch == 0)
    return rows;
  int64_t most = cluster.network ? kMostRanks : cluster.ranksPerNode;
  for (int64_t count = 1; count <= most && why.empty(); count *= 2) {
    ScalingRow row;
    row.ranks = count;
    row.nodes = cluster.nodesFor(count);
    row.strongBatch = (batch + count - 1) / count;
    row.weakBatch = std::max<int64_t>(1, (batch + ranks - 1) / ranks);
    if (count <= batch)
      row.strong = predict(Setting{count, row.strongBatch});
    row.weak = predict(Setting{count, row.weakBatch});
    rows.push_back(row);
  }
  return rows;
}
