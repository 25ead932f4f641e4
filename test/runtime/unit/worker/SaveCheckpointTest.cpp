// Checkpoints that ranks save together: what the file has of each, and who can go on from it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/checkpoint/Safetensors.h"
#include "runtime/host/worker/Checkpoints.h"
#include "test/runtime/RankThreads.h"
#include "test/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

Variable variable(const char *name, int32_t type, std::vector<int64_t> shape, const char *kind,
                  Placement placement, std::vector<int64_t> whole = {}) {
  Variable made;
  made.name = name;
  made.type = type;
  made.shape = std::move(shape);
  made.kind = kind;
  made.placement = placement;
  made.whole = std::move(whole);
  return made;
}

/// What one of `ranks` ranks holds of a program with a variable of each placement.
struct Held {
  Held(int32_t ranks, int32_t rank) {
    int64_t part = (5 + ranks - 1) / ranks; // of five elements, zeros after the last
    manifest.program = "p";
    manifest.ranks = ranks;
    manifest.variables = {variable("same", TUTTI_F64, {2}, "trainable", Placement::replicate),
                          variable("part", TUTTI_F32, {part}, "state", Placement::shard, {5}),
                          variable("own", TUTTI_F32, {2}, "state", Placement::per_rank),
                          variable("model", TUTTI_F32, {2}, "trainable", Placement::per_rank),
                          variable("count", TUTTI_I64, {}, "other", Placement::per_rank)};
    same = {1.5, 2.5};
    for (int64_t i = rank * part; i < (rank + 1) * part; ++i)
      this->part.push_back(i < 5 ? float(10 + i) : 0);
    own = {float(rank), float(rank + 100)};
    model = {float(2 * rank), 8};
    count = 7 * rank;
    buffers.variables = {same.data(), this->part.data(), own.data(), model.data(), &count};
  }
  Held(const Held &) = delete;

  void forget() {
    std::fill(same.begin(), same.end(), -1);
    for (std::vector<float> *values : {&part, &own, &model})
      std::fill(values->begin(), values->end(), -1.0f);
    count = -1;
  }

  Manifest manifest;
  Buffers buffers;
  std::vector<double> same;
  std::vector<float> part, own, model;
  int64_t count;
};

class SaveCheckpoint : public testing::TestWithParam<int32_t> {
protected:
  int32_t ranks() const { return GetParam(); }
  std::vector<std::string> save() const {
    return RankThreads{ranks()}.run([&](tutti_context *context, int32_t rank) {
      Held held(ranks(), rank);
      return save_checkpoint(context, held.manifest, held.buffers, rank, path).message;
    });
  }
  float mean_of_ranks() const { return float(ranks() - 1); } ///< of 2 * rank

  TemporaryFolder folder;
  std::string path = folder.path("x.safetensors");
};

INSTANTIATE_TEST_SUITE_P(Ranks, SaveCheckpoint, testing::Values(1, 2, 3, 4));

} // namespace

TEST_P(SaveCheckpoint, has_every_variable_whole) {
  EXPECT_EQ(save(), std::vector<std::string>(ranks()));
  std::vector<double> same(2);
  std::vector<float> part(5), own(2 * ranks()), model(2);
  std::vector<int64_t> count(ranks());
  Error error = checkpoint::load(path,
                                 {{"same", TUTTI_F64, {2}, same.data()},
                                  {"part", TUTTI_F32, {5}, part.data()},
                                  {"own", TUTTI_F32, {ranks(), 2}, own.data()},
                                  {"model", TUTTI_F32, {2}, model.data()},
                                  {"count", TUTTI_I64, {ranks()}, count.data()}},
                                 nullptr);
  ASSERT_FALSE(error) << error.message;
  EXPECT_EQ(same, (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(part, (std::vector<float>{10, 11, 12, 13, 14}));
  EXPECT_EQ(model, (std::vector<float>{mean_of_ranks(), 8}));
  for (int32_t rank = 0; rank < ranks(); ++rank) {
    EXPECT_EQ(own[2 * rank], rank);
    EXPECT_EQ(own[2 * rank + 1], rank + 100);
    EXPECT_EQ(count[rank], 7 * rank);
  }
  EXPECT_THAT(TemporaryFolder::read(path), HasSubstr(R"("__metadata__":{"program":"p"})"));
}

TEST_P(SaveCheckpoint, is_where_as_many_ranks_go_on) {
  save();
  for (int32_t rank = 0; rank < ranks(); ++rank) {
    Held held(ranks(), rank), before(ranks(), rank);
    held.forget();
    std::vector<std::string> notes;
    Error error = load_checkpoint(held.manifest, held.buffers, rank, path, notes);
    ASSERT_FALSE(error) << error.message;
    EXPECT_TRUE(notes.empty());
    EXPECT_EQ(held.same, before.same);
    EXPECT_EQ(held.part, before.part);
    EXPECT_EQ(held.own, before.own);
    EXPECT_EQ(held.count, before.count);
    EXPECT_EQ(held.model, (std::vector<float>{mean_of_ranks(), 8}));
  }
}

TEST_P(SaveCheckpoint, is_where_other_numbers_of_ranks_go_on_without_rows) {
  save();
  int32_t others = ranks() + 1;
  for (int32_t rank = 0; rank < others; ++rank) {
    Held held(others, rank), before(others, rank);
    held.forget();
    std::vector<std::string> notes;
    Error error = load_checkpoint(held.manifest, held.buffers, rank, path, notes);
    ASSERT_FALSE(error) << error.message;
    EXPECT_EQ(held.part, before.part) << "parts of other sizes";
    EXPECT_EQ(held.own, (std::vector<float>{-1, -1})) << "left as it was";
    EXPECT_EQ(held.count, -1);
    ASSERT_EQ(notes.size(), 2u);
    EXPECT_THAT(notes[0], HasSubstr(text("has no 'own' of ", others, " ranks")));
    EXPECT_THAT(notes[1], HasSubstr(text("has no 'count' of ", others, " ranks")));
  }
}

TEST_P(SaveCheckpoint, is_no_file_where_one_rank_fails) {
  std::vector<std::string> said =
      RankThreads{ranks()}.run([&](tutti_context *context, int32_t rank) {
        Held held(ranks(), rank);
        if (rank == ranks() - 1)
          tutti_context_fail(context, TUTTI_BAD_DATA, "the last one failed");
        return save_checkpoint(context, held.manifest, held.buffers, rank, path).message;
      });
  EXPECT_EQ(said.back(), "the last one failed");
  EXPECT_THAT(said[0], HasSubstr("failed")); // those between may have done their part
  EXPECT_EQ(folder.files(), 0u) << "half a checkpoint is left";
}

TEST_P(SaveCheckpoint, that_lacks_a_variable_changes_nothing) {
  save();
  Held held(ranks(), 0);
  held.manifest.variables[0].name = "renamed";
  held.forget();
  std::vector<std::string> notes;
  Error error = load_checkpoint(held.manifest, held.buffers, 0, path, notes);
  EXPECT_THAT(error.message, HasSubstr("variable 'renamed' is not in it"));
  EXPECT_EQ(held.part, std::vector<float>(held.part.size(), -1.0f));
  EXPECT_EQ(held.same, (std::vector<double>{-1, -1}));
}
