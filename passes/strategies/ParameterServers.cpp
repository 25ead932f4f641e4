// serve=auto|GLOB,...: servers hold variables and update them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Strategy.h"

using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::strategies;

namespace {
class ParameterServers : public Strategy {
  Chapter getChapter() const override { return Chapter::Servers; }

  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    addKeysOfTables(keys, o);
    addKeysOfSteps(keys, o);
  }

  static void addKeysOfTables(options::KeyTable &keys, DistributeOptions &o) {
    keys.addList("serve", o.serve,
                 "Variables that servers hold and update: auto (large tables of which a step "
                 "touches a few rows), or those of these names, as rows where that is possible")
        .type = "auto|GLOB,...";
    keys.addCount("serve-min-bytes", o.serveMinBytes, 0, "With serve=auto, smaller tables stay")
        .byDefault("64 MiB");
    keys.addFlag("serve-lazy", o.serveLazy,
                 "Serve tables whose optimizer changes rows without a gradient, too; then it does "
                 "not change these")
        .deciding()
        .byDefault("false");
    keys.addList(
            "serve-initial", o.serveInitial,
            "Tables begin as random numbers, a row when it is first used, and not as the model "
            "says; with GLOB: tables of these names")
        .deciding()
        .type = "[GLOB:]normal:MEAN:DEVIATION|[GLOB:]uniform:FROM:TO,...";
    keys.addChoice("serve-placement", o.servePlacement,
                   {{"range", TablePlacement::Range}, {"hash", TablePlacement::Hash}},
                   "Which server holds a row: that of its range, or of its hash");
  }

  static void addKeysOfSteps(options::KeyTable &keys, DistributeOptions &o) {
    keys.addChoice("serve-mode", o.serveAsynchronously, {{"sync", false}, {"async", true}},
                   "sync: servers update once a step, when all workers have pushed. async: with "
                   "each push, and workers do not wait for each other; for serve=*")
        .deciding();
    keys.addCount("serve-staleness", o.serveStaleness, 0,
                  "With serve-mode=async, by how many steps a worker may be ahead of the slowest")
        .deciding()
        .byDefault("no bound");
    keys.addCount("serve-warm-up", o.serveWarmUp, 0,
                  "With serve-mode=async, how many steps workers do together first")
        .deciding()
        .byDefault("0");
    keys.addChoice("serve-wire", o.serveWire,
                   {{"none", TableWire::None}, {"bf16", TableWire::BF16}, {"f16", TableWire::F16}},
                   "As what rows of f32 and their gradients travel; servers keep f32")
        .deciding();
    keys.addFlag("serve-prefetch", o.servePrefetch,
                 "Workers ask for the rows of the next step while they compute this one")
        .byDefault("false");
  }

  void addConflicts(ConflictTable &table) const override {
    table.exclude(
        "serve", {"local-sgd", "batch-policy=weighted"},
        "servers take one gradient of each worker in a step, and all workers count alike");
    table.exclude("serve", {"scale-learning-rate"},
                  "servers take the rates that the model gives; give it others");
    table.exclude("serve-mode=async",
                  {"shard-optimizer", "compress", "sparse=rows", "sync-batch-norm=true"},
                  "workers that have no common steps reduce nothing");
    table.need({"serve-mode=async", "serve-min-bytes", "serve-lazy", "serve-placement=hash",
                "serve-initial", "serve-wire", "serve-prefetch"},
               "serve", "serve=auto or serve=GLOB,...");
  }

  Refusal findConflict(const DistributeOptions &o) const override {
    if (o.serveStaleness && !o.serveAsynchronously)
      return "serve-staleness is for serve-mode=async: other workers are never ahead";
    if (o.serveWarmUp && !o.serveAsynchronously)
      return "serve-warm-up is for serve-mode=async: workers do all steps together";
    if (!o.serve.empty() && o.serveMinBytes && o.serve != llvm::SmallVector<std::string>{"auto"})
      return "serve-min-bytes is for serve=auto; what is named is served, however small";
    return {};
  }

  void addPasses(Sequence &sequence, const DistributeOptions &o) const override {
    if (o.serve.empty())
      return;
    sequence.add(Place::Serve, createParameterServerPass, passOptions(o));
    // Asynchronous workers get what they share from the servers, and meet nowhere else.
    if (o.serveAsynchronously)
      sequence.leaveOut({Place::Broadcast, Place::ShareStatistics, Place::ReduceTotals,
                         Place::ReduceGradients, Place::GatherRows, Place::ReduceMetrics});
  }

  static ParameterServerPassOptions passOptions(const DistributeOptions &o) {
    ParameterServerPassOptions servers;
    if (o.serve.front() != "auto")
      servers.tables.assign(o.serve.begin(), o.serve.end());
    servers.minBytes = o.serveMinBytes.value_or(servers.minBytes);
    servers.lazy = o.serveLazy.value_or(false);
    servers.placement = o.servePlacement;
    servers.reduction = o.reduction;
    servers.asynchronous = o.serveAsynchronously;
    servers.staleness = o.serveStaleness.value_or(servers.staleness);
    servers.warmUp = o.serveWarmUp.value_or(servers.warmUp);
    servers.initial.assign(o.serveInitial.begin(), o.serveInitial.end());
    servers.wire = o.serveWire;
    servers.prefetch = o.servePrefetch.value_or(false);
    return servers;
  }
};
} // namespace

static const ParameterServers theParameterServers;
namespace tutti::strategies {
const Strategy &parameterServers = theParameterServers;
} // namespace tutti::strategies
