// Replicas that differ are found, and named.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/ReplicaWatch.h"
#include "test/runtime/RankForks.h"

#include <gmock/gmock.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;

namespace {

Variable variable(const std::string &name, Placement placement) {
  Variable made;
  made.name = name;
  made.type = TUTTI_F32;
  made.shape = {37};
  made.placement = placement;
  return made;
}

/// What each of three ranks hears that does not hear `expected`, where `disturb` has changed them.
std::string all(const std::string &expected,
                const std::function<void(float *own, float *replicated, int32_t rank)> &disturb) {
  RankForks forks;
  forks.ranks = 3;
  return forks.run([&](tutti_context *context, int32_t rank) {
    float own[37] = {}, first[37] = {}, second[37] = {};
    Manifest manifest;
    manifest.variables = {variable("own", Placement::per_rank),
                          variable("first", Placement::replicate),
                          variable("second", Placement::replicate)};
    Buffers buffers;
    buffers.variables = {own, first, second};
    ReplicaWatch watch(context, manifest, buffers, /*every=*/5, /*plan_entry=*/7);
    EXPECT_TRUE(watch.is_due(10));
    EXPECT_FALSE(watch.is_due(11));
    EXPECT_FALSE(watch.compare(5)) << "all are zero";
    disturb(own, second, rank);
    Error error = watch.compare(10);
    std::string said = error ? error.message : "equal";
    return said.find(expected) == said.npos ? said : "";
  });
}

} // namespace

TEST(ReplicaWatch, OwnVariablesMayDiffer) {
  EXPECT_EQ(all("equal", [](float *own, float *, int32_t rank) { own[3] = float(rank); }), "");
}

TEST(ReplicaWatch, NamesVariableStepAndRanks) {
  auto disturb = [](float *, float *replicated, int32_t rank) {
    replicated[36] = rank == 1 ? 1e-38f : 0;
  };
  EXPECT_EQ(
      all("variable 'second' is no longer the same on all ranks after step 10: ranks 0, 2 with ",
          disturb),
      "");
  EXPECT_EQ(all(", rank 1 with ", disturb), "");
  EXPECT_EQ(all("replicas were equal after step 5", disturb), "");
}

TEST(ReplicaWatch, EveryBitCounts) {
  std::vector<unsigned char> bytes(101);
  uint64_t first = hash_words(bytes.data(), int64_t(bytes.size()));
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<unsigned char>(1 << bit % 8);
    EXPECT_NE(hash_words(bytes.data(), int64_t(bytes.size())), first) << bit;
    bytes[bit / 8] ^= static_cast<unsigned char>(1 << bit % 8);
  }
}
