// Checkpoints of some ranks, read by others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/Restore.h"
#include "runtime/host/rundir/FindCheckpoint.h"
#include "runtime/host/rundir/Retention.h"
#include "runtime/host/rundir/Snapshot.h"
#include "test/runtime/RankThreads.h"
#include "test/runtime/TemporaryFolder.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

using namespace tutti::runtime;
using namespace tutti::runtime::rundir;
using testing::ElementsAre;
using testing::HasSubstr;
using worker::Placement;

namespace {

/// A program with one variable 'v' of f32.
worker::Manifest program(int64_t ranks, Placement placement, std::string kind = "state",
                         int64_t whole = 5) {
  worker::Variable variable;
  variable.name = "v";
  variable.type = TUTTI_F32;
  variable.kind = std::move(kind);
  variable.placement = placement;
  variable.shape = {whole};
  if (placement == Placement::shard) {
    variable.whole = {whole};
    variable.shape = {(whole + ranks - 1) / ranks};
  }
  worker::Manifest manifest;
  manifest.program = "p";
  manifest.ranks = ranks;
  manifest.variables = {variable};
  return manifest;
}

class Restoring : public testing::Test {
protected:
  Restoring() { EXPECT_FALSE(folder.prepare()); }

  /// Writes what rank `rank` has of a checkpoint.
  void save_part(const worker::Manifest &manifest, int64_t rank, int64_t step,
                 std::vector<float> held, const std::string &launch = "1") {
    RunState state = RunState::of({}, manifest, rank, {});
    state.launch = launch;
    state.step = step;
    worker::Buffers buffers;
    buffers.variables = {held.data()};
    Snapshot snapshot(manifest, rank);
    if (snapshot.is_empty())
      return;
    snapshot.take(buffers);
    std::fill(held.begin(), held.end(), -1.0f); // training goes on
    ASSERT_FALSE(snapshot.write(folder.part({step, rank, manifest.ranks}), state));
  }
  /// A sharded 'v' with the elements 1, 2, ... of which each rank writes its part.
  void save_sharded(int64_t ranks, int64_t step) {
    worker::Manifest manifest = program(ranks, Placement::shard);
    int64_t part = manifest.variables[0].shape[0];
    for (int64_t rank = 0; rank < ranks; ++rank) {
      std::vector<float> held(static_cast<size_t>(part), 0.0f);
      for (int64_t i = 0; i < part && rank * part + i < 5; ++i)
        held[size_t(i)] = float(rank * part + i + 1);
      save_part(manifest, rank, step, held);
    }
  }
  /// What rank `rank` has after restoring.
  std::vector<float> load(const worker::Manifest &manifest, int64_t rank, int64_t step) {
    auto checkpoint = WholeCheckpoint::open(folder, step);
    EXPECT_TRUE(checkpoint) << checkpoint.error().message;
    std::vector<float> held(size_t(manifest.variables[0].shape[0]), 9.0f);
    worker::Buffers buffers;
    buffers.variables = {held.data()};
    notes.clear();
    averaged.clear();
    error = restore(*checkpoint, manifest, buffers, rank, notes, averaged);
    return held;
  }
  /// The step of the newest checkpoint that is whole; -1: there is none; -2: none can be read, and
  /// `error` says why.
  int64_t newest() {
    notes.clear();
    auto found = find_newest(folder);
    error = found.error();
    if (!found)
      return -2;
    for (const NewestCheckpoint::Skipped &skipped : found->skipped)
      notes.push_back(skipped.why);
    return found->checkpoint ? found->checkpoint->state().step : -1;
  }
  Condition condition_of(int64_t step) {
    return examine(folder, CheckpointList::read(folder), step, &WholeCheckpoint::verify).condition;
  }
  std::string path(const PartName &part) const { return folder.part(part); }

  TemporaryFolder files;
  Folder folder = Folder(files.path("run"));
  /// What ranks 0, 1, ... have together after restoring, as threads, each with its own files open;
  /// and how many files those are, of all ranks.
  std::vector<std::vector<float>> load_together(const worker::Manifest &manifest, int64_t step) {
    std::vector<std::vector<float>> held(size_t(manifest.ranks));
    RankThreads threads = {int32_t(manifest.ranks)};
    std::atomic<int64_t> done{0}, opened{0};
    auto complaints = threads.run([&](tutti_context *context, int32_t rank) -> std::string {
      auto checkpoint = WholeCheckpoint::open_first(folder, step);
      std::vector<std::string> told;
      std::vector<Averaged> wanted;
      held[size_t(rank)].assign(size_t(manifest.variables[0].shape[0]), 9.0f);
      worker::Buffers buffers;
      buffers.variables = {held[size_t(rank)].data()};
      if (Error failed = restore(*checkpoint, manifest, buffers, rank, told, wanted))
        return failed.message;
      auto means = FileMeans::open(*checkpoint, wanted, rank, int32_t(manifest.ranks));
      if (!means)
        return means.error().message;
      if (Error failed = means->take(context, 0))
        return failed.message;
      for (++done; done < manifest.ranks;)
        std::this_thread::yield();
      if (rank == 0)
        opened = count_mappings();
      for (++done; done < 2 * manifest.ranks;)
        std::this_thread::yield();
      return "";
    });
    EXPECT_EQ(complaints, threads.content());
    files_opened = opened;
    return held;
  }
  /// Of files of the run directory, in this process.
  int64_t count_mappings() const {
    std::ifstream maps("/proc/self/maps");
    int64_t count = 0;
    for (std::string line; std::getline(maps, line);)
      count += line.find(files.path("run")) != line.npos;
    return count;
  }

  std::vector<std::string> notes;
  std::vector<Averaged> averaged;
  int64_t files_opened = 0;
  Error error;
};

} // namespace

TEST_F(Restoring, cuts_parts_anew_for_any_number_of_ranks) {
  std::vector<float> all = {1, 2, 3, 4, 5};
  for (int64_t before : {1, 2, 3, 4, 5, 7}) {
    save_sharded(before, 10);
    for (int64_t now : {1, 2, 3, 4, 8}) {
      worker::Manifest manifest = program(now, Placement::shard);
      std::vector<float> got;
      for (int64_t rank = 0; rank < now; ++rank)
        for (float element : load(manifest, rank, 10))
          got.push_back(element);
      std::vector<float> wanted = all;
      wanted.resize(got.size(), 0.0f);
      EXPECT_EQ(got, wanted) << before << " -> " << now;
      EXPECT_FALSE(error) << error.message;
    }
    EXPECT_EQ(load(program(3, Placement::replicate), 2, 10), all);
  }
}

TEST_F(Restoring, gives_each_rank_what_it_had) {
  worker::Manifest manifest = program(2, Placement::per_rank, "trainable");
  save_part(manifest, 0, 10, {1, 2, 3, 4, 5});
  save_part(manifest, 1, 10, {6, 7, 8, 9, 10});
  EXPECT_THAT(load(manifest, 1, 10), ElementsAre(6, 7, 8, 9, 10));
  EXPECT_TRUE(notes.empty());
}

TEST_F(Restoring, takes_the_mean_for_another_number_of_ranks) {
  worker::Manifest manifest = program(2, Placement::per_rank, "trainable");
  save_part(manifest, 0, 10, {1, 2, 3, 4, 5});
  save_part(manifest, 1, 10, {3, 4, 5, 6, 8});
  const std::vector<float> mean = {2, 3, 4, 5, 6.5f};
  for (int64_t ranks : {1, 3, 7}) {
    worker::Manifest now =
        program(ranks, ranks == 1 ? Placement::replicate : Placement::per_rank, "trainable");
    load(now, 0, 10);
    EXPECT_THAT(notes, ElementsAre(HasSubstr("goes on with their mean")));
    for (const std::vector<float> &held : load_together(now, 10))
      EXPECT_EQ(held, mean) << ranks;
  }
  auto parts = load_together(program(3, Placement::shard, "trainable"), 10);
  EXPECT_THAT(parts, ElementsAre(ElementsAre(2, 3), ElementsAre(4, 5), ElementsAre(6.5f, 0)));
}

TEST_F(Restoring, sums_means_in_the_order_of_the_files_whoever_reads_them) {
  // Sums of these depend on their order, also in f64.
  const std::vector<float> values = {3e16f, 1.25f, -3e16f, 0.75f, 3.3f, 7e15f, -7e15f};
  int64_t before = int64_t(values.size()), count = 2000003; // more than one round
  worker::Manifest saved = program(before, Placement::per_rank, "trainable", count);
  std::vector<double> sums(size_t(count), 0.0);
  for (int64_t file = 0; file < before; ++file) {
    std::vector<float> held(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i)
      held[size_t(i)] = values[size_t((file + i) % before)];
    for (int64_t i = 0; i < count; ++i)
      sums[size_t(i)] += double(held[size_t(i)]);
    save_part(saved, file, 10, held);
  }
  std::vector<float> mean;
  for (double sum : sums)
    mean.push_back(float(sum / double(before)));
  for (int64_t ranks : {1, 2, 3, 4, 9}) {
    worker::Manifest now = program(ranks, Placement::per_rank, "trainable", count);
    for (const std::vector<float> &held : load_together(now, 10))
      EXPECT_TRUE(held == mean) << ranks;
    // Each opens that of rank 0, which says what there is, and together they open each once.
    EXPECT_EQ(files_opened, ranks + before - 1) << ranks;
  }
}

TEST_F(Restoring, names_the_file_of_which_it_has_no_mean) {
  worker::Manifest manifest = program(3, Placement::per_rank, "trainable");
  for (int64_t rank = 0; rank < 3; ++rank)
    save_part(manifest, rank, 10, {1, 2, 3, 4, 5});
  std::filesystem::remove(path({10, 2, 3}));
  worker::Manifest now = program(2, Placement::per_rank, "trainable");
  auto checkpoint = WholeCheckpoint::open_first(folder, 10);
  float held[5];
  worker::Buffers buffers;
  buffers.variables = {held};
  ASSERT_FALSE(restore(*checkpoint, now, buffers, 0, notes, averaged));
  EXPECT_TRUE(FileMeans::open(*checkpoint, averaged, 0, 2));
  EXPECT_THAT(FileMeans::open(*checkpoint, averaged, 1, 2).error().message,
              HasSubstr("rank-2-of-3"));
}

TEST_F(Restoring, says_which_states_cannot_be_carried) {
  worker::Manifest manifest = program(2, Placement::per_rank, "state");
  save_part(manifest, 0, 10, {1, 2, 3, 4, 5});
  save_part(manifest, 1, 10, {3, 4, 5, 6, 8});
  EXPECT_THAT(load(program(3, Placement::per_rank, "state"), 0, 10), ElementsAre(9, 9, 9, 9, 9));
  EXPECT_THAT(notes,
              ElementsAre(HasSubstr("'v' of each of 2 ranks, this run has 3 ranks; it starts")));
}

TEST_F(Restoring, opens_no_file_that_a_rank_does_not_need) {
  auto load_from = [&](const worker::Manifest &manifest, int64_t rank) {
    std::vector<float> held(size_t(manifest.variables[0].shape[0]), 9.0f);
    worker::Buffers buffers;
    buffers.variables = {held.data()};
    error =
        restore(*WholeCheckpoint::open_first(folder, 10), manifest, buffers, rank, notes, averaged);
    return held;
  };
  auto keep = [&](int64_t ranks, std::initializer_list<int64_t> kept) {
    for (int64_t rank = 1; rank < ranks; ++rank)
      if (std::find(kept.begin(), kept.end(), rank) == kept.end())
        std::filesystem::remove(path({10, rank, ranks}));
  };
  save_sharded(5, 10);
  keep(5, {3});
  EXPECT_THAT(load_from(program(5, Placement::shard), 3), ElementsAre(4));
  EXPECT_FALSE(error) << error.message;
  load_from(program(5, Placement::shard), 2);
  EXPECT_THAT(error.message, HasSubstr("rank-2-of-5"));

  save_sharded(5, 10);
  keep(5, {2, 3});
  EXPECT_THAT(load_from(program(3, Placement::shard), 1), ElementsAre(3, 4));
  EXPECT_FALSE(error) << error.message;

  worker::Manifest own = program(4, Placement::per_rank, "trainable");
  for (int64_t rank = 0; rank < 4; ++rank)
    save_part(own, rank, 10, std::vector<float>(5, float(rank)));
  keep(4, {2});
  EXPECT_THAT(load_from(own, 2), ElementsAre(2, 2, 2, 2, 2));
  EXPECT_FALSE(error) << error.message;
}

TEST_F(Restoring, names_the_variable_that_differs) {
  save_part(program(1, Placement::replicate), 0, 10, {1, 2, 3, 4, 5});
  load(program(1, Placement::replicate, "state", 6), 0, 10);
  EXPECT_THAT(error.message, HasSubstr("it is of another program: variable 'v' is F32 [6] in the "
                                       "program, F32 [5] in the checkpoint"));
  worker::Manifest other = program(1, Placement::replicate);
  other.variables[0].name = "w";
  EXPECT_THAT(load(other, 0, 10), ElementsAre(9, 9, 9, 9, 9));
  EXPECT_THAT(error.message, HasSubstr("the program has a variable 'w', which is not"));
  other.variables = {};
  other.variables.shrink_to_fit();
  worker::Buffers none;
  error = restore(*WholeCheckpoint::open(folder, 10), other, none, 0, notes, averaged);
  EXPECT_THAT(error.message, HasSubstr("it has a variable 'v', which the program does not"));
}

TEST_F(Restoring, skips_what_is_not_whole_and_names_it) {
  save_sharded(2, 10);
  save_sharded(2, 20);
  EXPECT_EQ(newest(), 20);
  EXPECT_TRUE(notes.empty());
  std::filesystem::remove(path({20, 1, 2}));
  EXPECT_EQ(newest(), 10);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("step-20.rank-1-of-2.safetensors")));
}

TEST_F(Restoring, takes_no_parts_of_two_launches_for_one) {
  save_sharded(2, 10);
  save_part(program(2, Placement::shard), 1, 10, {4, 5, 0}, "2");
  EXPECT_EQ(newest(), -1);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("of another launch")));
}

TEST_F(Restoring, notices_every_bit_that_changed) {
  save_sharded(1, 10);
  std::string whole = TemporaryFolder::read(path({10, 0, 1}));
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string broken = whole;
    broken[at] = char(broken[at] ^ 1);
    std::ofstream(path({10, 0, 1}), std::ios::binary) << broken;
    EXPECT_EQ(newest(), -2) << "byte " << at;
  }
  for (size_t length = 0; length < whole.size(); length += 13) {
    std::ofstream(path({10, 0, 1}), std::ios::binary) << whole.substr(0, length);
    EXPECT_EQ(newest(), -2) << length << " bytes";
  }
  EXPECT_THAT(error.message, HasSubstr("has a checkpoint, which cannot be read"));
  EXPECT_THAT(error.message, HasSubstr("step-10.safetensors"));
}

TEST_F(Restoring, tells_a_lost_part_from_one_that_was_never_written) {
  save_sharded(2, 10);
  std::filesystem::remove(path({10, 1, 2}));
  EXPECT_EQ(condition_of(10), Condition::unfinished);
  EXPECT_EQ(newest(), -1); // a run that was killed there begins anew
  CheckpointList list;
  ASSERT_FALSE(list.add(folder, 10));
  EXPECT_EQ(condition_of(10), Condition::unreadable);
  EXPECT_EQ(newest(), -2);
  EXPECT_THAT(error.message, HasSubstr("step-10.rank-1-of-2.safetensors"));
  std::ofstream(folder.list()) << "{";
  EXPECT_EQ(newest(), -2); // nobody knows
  ASSERT_FALSE(CheckpointList::read(folder).restrict_to(folder, {}));
  EXPECT_EQ(newest(), -1);
}

TEST_F(Restoring, keeps_what_it_cannot_read) {
  for (int64_t step : {10, 20, 30})
    save_sharded(1, step);
  std::ofstream(path({10, 0, 1}), std::ios::binary) << "x";
  CheckpointList list;
  ASSERT_FALSE(remove_old(folder, list, 30, 1, /*best=*/-1));
  EXPECT_EQ(folder.parts()->count(10), 1u);
  EXPECT_EQ(folder.parts()->count(20), 0u);
}

TEST_F(Restoring, opens_no_file_of_a_listed_step_to_count_it) {
  CheckpointList list;
  for (int64_t step : {10, 20, 30}) {
    save_sharded(3, step);
    ASSERT_FALSE(list.add(folder, step));
  }
  auto spoil = [&](int64_t step, int64_t rank) {
    std::ofstream(path({step, rank, 3}), std::ios::binary) << "x";
  };
  spoil(20, 0), spoil(20, 2); // an open would find it
  ASSERT_FALSE(remove_old(folder, list, 30, 2, /*best=*/-1));
  EXPECT_EQ(folder.parts()->count(10), 0u);
  std::filesystem::remove(path({30, 1, 3})); // lost later: its names tell
  save_sharded(3, 10);
  ASSERT_FALSE(remove_old(folder, list, 30, 1, /*best=*/-1));
  EXPECT_EQ(folder.parts()->count(20), 1u);
  EXPECT_EQ(folder.parts()->count(30), 1u) << "nobody removes what cannot be read";
  EXPECT_EQ(folder.parts()->count(10), 0u);
}

TEST_F(Restoring, sets_aside_under_free_names) {
  for (const char *content : {"first", "second"}) {
    std::ofstream(path({10, 0, 1}), std::ios::binary) << content;
    ASSERT_FALSE(set_aside(folder, 10));
    EXPECT_TRUE(folder.parts()->empty());
  }
  EXPECT_EQ(TemporaryFolder::read(folder.set_aside() + "/step-10.safetensors"), "first");
  EXPECT_EQ(TemporaryFolder::read(folder.set_aside() + "/step-10.safetensors.1"), "second");
}

TEST_F(Restoring, keeps_the_newest_and_what_is_still_being_written) {
  for (int64_t step : {10, 20, 30, 40})
    save_sharded(2, step);
  std::filesystem::remove(path({20, 1, 2})); // a half one
  std::filesystem::remove(path({40, 1, 2})); // rank 1 still writes it
  CheckpointList list;
  ASSERT_FALSE(remove_old(folder, list, 40, 1, /*best=*/-1));
  auto left = folder.parts();
  ASSERT_TRUE(left);
  EXPECT_EQ(left->size(), 2u);
  EXPECT_EQ(left->count(30), 1u);
  EXPECT_EQ(left->count(40), 1u);
  EXPECT_EQ(newest(), 30);
}

TEST_F(Restoring, keeps_what_is_newer_than_the_run) {
  for (int64_t step : {10, 20, 30})
    save_sharded(1, step);
  CheckpointList list;
  ASSERT_FALSE(remove_old(folder, list, 20, 1, /*best=*/-1));
  EXPECT_EQ(folder.parts()->count(10), 0u);
  EXPECT_EQ(folder.parts()->count(20), 1u);
  EXPECT_EQ(folder.parts()->count(30), 1u);
  ASSERT_FALSE(remove_old(folder, list, 30, 0, /*best=*/-1));
  EXPECT_EQ(folder.parts()->size(), 2u);
}
