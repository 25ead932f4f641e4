// Lists keys; the tables of the strategies say which exclude each other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/search/Candidates.h"

#include "lib/options/OtherNames.h"
#include "lib/options/SpellKey.h"
#include "passes/DistributeOptions.h"
#include "passes/strategies/Strategy.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::search;

/// "a=1 b=2" of the texts that are not empty.
static std::string joinKeys(std::initializer_list<StringRef> texts) {
  SmallVector<StringRef> filled;
  llvm::copy_if(texts, std::back_inserter(filled), [](StringRef text) { return !text.empty(); });
  return llvm::join(filled, " ");
}

Candidate Space::candidate(StringRef work, StringRef travel) const {
  Candidate candidate;
  candidate.keys = joinKeys({fixed, work, travel});
  return candidate;
}

/// Which of the things that are searched `given` fixes.
static bool fixesAny(ArrayRef<options::GivenKey> given, ArrayRef<StringRef> names) {
  return llvm::any_of(given, [&](const options::GivenKey &key) {
    return llvm::any_of(names, [&](StringRef name) {
      return name.ends_with("*") ? StringRef(key.name).starts_with(name.drop_back())
                                 : key.name == name;
    });
  });
}

/// `isSharded`: what ranks hold alike is divided, as it is given.
static std::vector<Work> waysToDivide(ArrayRef<options::GivenKey> given, bool isSharded,
                                      int64_t ranks) {
  std::vector<std::string> meshes = {""}, stages = {""};
  std::vector<Work> works;
  std::string ofAll = "mesh=dp:1,tp:" + std::to_string(ranks); // who have nothing alike to divide
  if (!fixesAny(given, {"mesh"}))
    for (int64_t neighbours = 2; neighbours <= ranks; ++neighbours)
      if (ranks % neighbours == 0)
        meshes.push_back("mesh=dp:" + std::to_string(ranks / neighbours) +
                         ",tp:" + std::to_string(neighbours));
  if (!fixesAny(given, {"shard-optimizer"}))
    for (int stage = 1; stage <= 3; ++stage)
      stages.push_back("shard-optimizer=" + std::to_string(stage));
  for (const std::string &mesh : meshes)
    for (const std::string &stage : stages)
      if (mesh != ofAll || (stage.empty() && !isSharded))
        works.push_back({mesh, joinKeys({mesh, stage}), {}});
  return works;
}

/// In which buckets, and by which levels, gradients are sent.
static std::vector<std::string> waysToPack(ArrayRef<options::GivenKey> given, StringRef machines,
                                           bool hasLevels) {
  if (fixesAny(given, {"buckets", "bucket-*", "first-bucket-bytes"}))
    return {""};
  bool asksForLevels = hasLevels && !fixesAny(given, {"hierarchy"});
  return {"", joinKeys({"buckets=auto", asksForLevels ? "hierarchy=auto" : "", machines})};
}

/// Of what all ranks share: when it is sent, and how it is packed.
static std::vector<Travel> travelsOfAll(ArrayRef<options::GivenKey> given,
                                        ArrayRef<std::string> packs) {
  std::vector<std::string> overlaps = {""};
  if (!fixesAny(given, {"overlap"}))
    overlaps.push_back("overlap=true");
  std::vector<Travel> travels;
  for (const std::string &pack : packs)
    for (const std::string &overlap : overlaps)
      travels.push_back({joinKeys({overlap, pack}), false});
  travels.back().hidesMost = true;
  return travels;
}

/// Of a mesh: when it is sent, whether neighbours exchange sums or tokens, and how that is packed
/// which goes on alongside computing.
static std::vector<Travel> travelsOfMesh(ArrayRef<options::GivenKey> given,
                                         ArrayRef<std::string> packs) {
  std::vector<std::string> tokens = {""}, overlaps = {""};
  if (!fixesAny(given, {"sequence"}))
    tokens.push_back("sequence=true");
  if (!fixesAny(given, {"overlap"}))
    overlaps.push_back("overlap=true");
  std::vector<Travel> travels;
  for (const std::string &token : tokens) {
    for (const std::string &overlap : overlaps)
      travels.push_back({joinKeys({token, overlap}), false, !token.empty()});
    for (const std::string &pack : packs.drop_front())
      travels.push_back({joinKeys({token, overlaps.back(), pack}), false, !token.empty()});
    travels.back().hidesMost = true;
  }
  return travels;
}

FailureOr<Space> search::spaceOf(const Question &question, const cost::Cluster &cluster,
                                 int64_t ranks, options::Complain complain) {
  auto given = options::splitKeys(question.keys, complain);
  DistributeOptions checked;
  if (failed(given))
    return failure();
  options::takeOtherNames(*given, checked.keys().names());
  if (failed(checked.keys().assign(*given, complain)))
    return failure();
  // That of the search; a candidate names it where its passes read it.
  llvm::erase_if(*given, [](const options::GivenKey &key) { return key.name == "cluster"; });
  std::string machines = options::spellKey({"cluster", question.cluster});
  Space space;
  for (const options::GivenKey &key : *given)
    space.fixed = joinKeys({space.fixed, options::spellKey(key)});
  if (checked.buckets == "auto" || checked.hierarchy == "auto")
    space.fixed = joinKeys({space.fixed, machines});
  if (ranks == 1) { // nobody to divide anything with
    space.works = {{"", "", {{"", true}}}};
    return space;
  }
  bool hasLevels = cluster.nodesFor(ranks) > 1 && cluster.ranksPerNode > 1;
  std::vector<std::string> packs = waysToPack(*given, machines, hasLevels);
  for (Work &work : waysToDivide(*given, checked.shardOptimizer > 0, ranks)) {
    auto ignore = [](const Twine &) { return failure(); };
    auto all = DistributeOptions::parse(joinKeys({space.fixed, work.keys}), ignore);
    bool cuts = succeeded(all) && strategies::cutsModel(*all);
    work.travels = cuts ? travelsOfMesh(*given, packs) : travelsOfAll(*given, packs);
    space.works.push_back(std::move(work));
  }
  return space;
}

/// What `keys`, of a model that neighbours share, say, if `key` may join them, with which
/// communication runs alongside computing.
static FailureOr<DistributeOptions> parseFor(StringRef key, StringRef keys, const Space &space) {
  auto ignore = [](const Twine &) { return failure(); };
  auto options = DistributeOptions::parse(keys, ignore);
  auto given = options::splitKeys(space.fixed, ignore);
  if (failed(options) || failed(given) || !strategies::cutsModel(*options) ||
      fixesAny(*given, {key}) || (fixesAny(*given, {"overlap"}) && !options->overlap))
    return failure();
  return options;
}

std::string search::interleave(StringRef keys, const Space &space, int64_t microBatches) {
  FailureOr<DistributeOptions> options = parseFor("interleave", keys, space);
  if (failed(options))
    return "";
  bool isAccumulated = options->accumulate > 1;
  return joinKeys({keys, options->overlap ? "" : "overlap=true",
                   isAccumulated ? "" : "accumulate=" + std::to_string(microBatches),
                   "interleave=" + std::to_string(microBatches)});
}

std::string search::exchangeInChunks(StringRef keys, const Space &space, int64_t chunks) {
  FailureOr<DistributeOptions> options = parseFor("chunks", keys, space);
  if (failed(options))
    return "";
  return joinKeys(
      {keys, options->overlap ? "" : "overlap=true", "chunks=" + std::to_string(chunks)});
}

void search::checkKeys(Candidate &candidate) {
  auto complain = [&](const Twine &why) -> LogicalResult {
    return candidate.problem = why.str(), failure();
  };
  FailureOr<DistributeOptions> options = DistributeOptions::parse(candidate.keys, complain);
  if (failed(options))
    return;
  if (Refusal conflict = options->findConflict())
    candidate.problem = conflict.reason();
}
