// Servers' files of checkpoints: written by some servers, read for any others, and what is wrong
// with them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/FindCheckpoint.h"
#include "runtime/host/rundir/Retention.h"
#include "runtime/host/rundir/SavedTables.h"
#include "runtime/host/rundir/Snapshot.h"
#include "test/runtime/TemporaryFolder.h"

#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::rundir;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr int64_t step = 30;

/// Rows of two elements with one state: row i is i, i, and its state -i, -i.
worker::ServedTable table(const std::string &name = "t", int64_t rows = 100) {
  worker::ServedTable made;
  made.name = name;
  made.type = TUTTI_F32;
  made.shape = {rows, 2};
  made.states = {{name + ".sum", 0}};
  return made;
}

worker::Manifest program(std::vector<worker::ServedTable> tables) {
  worker::Manifest manifest;
  manifest.program = "p";
  manifest.tables = std::move(tables);
  return manifest;
}

/// Gives `indices`, at most three at once.
class Rows {
public:
  Rows(std::vector<int64_t> indices, bool has_lives) : indices(std::move(indices)) {
    source.count = int64_t(this->indices.size());
    source.has_lives = has_lives;
    source.more_indices = [this] { return some(at_index); };
    source.more_rows = [this]() -> Result<SomeRows> {
      piece.clear();
      lives = some(at_row);
      for (int64_t index : lives) {
        float row = float(index);
        piece.insert(piece.end(), {row, row, -row, -row});
      }
      return SomeRows{{reinterpret_cast<char *>(piece.data()), piece.size() * sizeof(float)},
                      &lives};
    };
  }
  RowSource source;

private:
  std::vector<int64_t> some(size_t &at) const {
    size_t begin = at;
    at = std::min(at + 3, indices.size());
    return {indices.begin() + int64_t(begin), indices.begin() + int64_t(at)};
  }
  std::vector<int64_t> indices, lives;
  size_t at_index = 0, at_row = 0;
  std::vector<float> piece;
};

class ServerParts : public testing::Test {
protected:
  ServerParts() { EXPECT_FALSE(folder.prepare()); }

  static worker::RunConfig run(size_t servers) {
    worker::RunConfig config;
    config.servers.resize(servers);
    return config;
  }

  void save_rank(size_t servers, int64_t at = step) {
    worker::Manifest manifest = program({table()});
    RunState state = RunState::of(run(servers), manifest, 0, {});
    state.launch = "1";
    state.step = at;
    ASSERT_FALSE(Snapshot(manifest, 0).write(folder.part({at, 0, 1}), state));
  }
  void save_server(int64_t server, size_t servers, const std::vector<int64_t> &indices,
                   const worker::ServedTable &of = table(), const std::string &launch = "1",
                   int64_t at = step, bool has_lives = false) {
    ServerPart part = ServerPart::of(run(servers), program({of}), server);
    part.launch = launch;
    part.step = at;
    Rows rows(indices, has_lives);
    Error error = write_server_part(path(server, int64_t(servers), at), part, {of}, {rows.source});
    ASSERT_FALSE(error) << error.message;
  }
  std::string path(int64_t server, int64_t servers, int64_t at = step) const {
    return folder.part({at, server, servers, /*is_server=*/true});
  }
  /// What is wrong with the checkpoint as a whole; empty: nothing.
  std::string broken() {
    auto newest = find_newest(folder);
    if (!newest)
      return newest.error().message;
    return newest->checkpoint        ? ""
           : newest->skipped.empty() ? "there is none"
                                     : newest->skipped[0].why;
  }
  /// What SavedTables says of it.
  std::string refused(const std::vector<worker::ServedTable> &tables = {table()}) {
    auto checkpoint = WholeCheckpoint::open(folder, step);
    if (!checkpoint)
      return "not whole: " + checkpoint.error().message;
    return SavedTables::open(*checkpoint, tables).error().message;
  }

  TemporaryFolder files;
  Folder folder = Folder(files.path("run"));
};

} // namespace

TEST_F(ServerParts, give_the_rows_that_were_written) {
  save_rank(2);
  save_server(0, 2, {0, 1, 5, 7, 49});
  save_server(1, 2, {50, 99}, table(), "1", step, /*has_lives=*/true);
  EXPECT_EQ(broken(), "");
  auto checkpoint = WholeCheckpoint::open(folder, step);
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  auto saved = SavedTables::open(*checkpoint, {table()});
  ASSERT_TRUE(saved) << saved.error().message;
  std::vector<int64_t> indices, lives;
  ASSERT_FALSE(saved->for_each_row(0, [&](const SavedTables::Row &row) {
    float values[4];
    EXPECT_EQ(row.values.size(), sizeof values);
    std::memcpy(values, row.values.data(), sizeof values);
    EXPECT_THAT(values, ElementsAre(row.index, row.index, -row.index, -row.index));
    indices.push_back(row.index);
    lives.push_back(row.life.value_or(-7));
    return Error::success();
  }));
  EXPECT_THAT(indices, ElementsAre(0, 1, 5, 7, 49, 50, 99));
  EXPECT_THAT(lives, ElementsAre(-7, -7, -7, -7, -7, 50, 99));
}

TEST_F(ServerParts, say_by_which_rules_rows_were_kept) {
  ServerPart part = ServerPart::of(run(1), program({table()}), 0);
  EXPECT_FALSE(ServerPart::parse(part.metadata())->tables.at("t").rules);
  part.tables.at("t").rules = {3, 50};
  Result<ServerPart> read = ServerPart::parse(part.metadata());
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read->tables.at("t").rules);
  EXPECT_EQ(read->tables.at("t").rules->admit_after, 3);
  EXPECT_EQ(read->tables.at("t").rules->evict_after, 50);
  for (auto [admit, evict] : {std::pair(0, 5), std::pair(1, -1)}) {
    part.tables.at("t").rules = {admit, evict};
    EXPECT_FALSE(ServerPart::parse(part.metadata()));
  }
}

TEST_F(ServerParts, without_rows_are_parts) {
  save_rank(1);
  save_server(0, 1, {});
  EXPECT_EQ(broken(), "");
  EXPECT_EQ(refused(), "");
}

TEST_F(ServerParts, make_a_checkpoint_whole_together) {
  save_rank(2);
  save_server(0, 2, {1});
  EXPECT_THAT(broken(), HasSubstr("step-30.server-1-of-2.safetensors"));
  save_server(1, 2, {60}, table(), "2");
  EXPECT_THAT(broken(), HasSubstr("it is of another launch than rank 0's file"));
  std::filesystem::copy_file(path(0, 2), path(1, 2),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(broken(), HasSubstr("it is of server 0 of 2 at step 30, as its name does not say"));
  save_server(1, 2, {60});
  EXPECT_EQ(broken(), "");
}

TEST_F(ServerParts, notice_every_bit_that_changed) {
  save_rank(1);
  save_server(0, 1, {3, 4, 90});
  std::string whole = TemporaryFolder::read(path(0, 1));
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = char(changed[at] ^ 1);
    std::ofstream(path(0, 1), std::ios::binary) << changed;
    EXPECT_NE(broken(), "") << "byte " << at;
  }
  for (size_t length = 0; length < whole.size(); length += 13) {
    std::ofstream(path(0, 1), std::ios::binary) << whole.substr(0, length);
    EXPECT_NE(broken(), "") << length << " bytes";
  }
}

TEST_F(ServerParts, of_another_program_are_refused_by_name) {
  save_rank(1);
  save_server(0, 1, {3});
  EXPECT_THAT(refused({table("t", 50)}),
              HasSubstr("table 't' has 50 rows in the program, 100 in the checkpoint"));
  EXPECT_THAT(refused({table("u")}), HasSubstr("it has a table 't', which servers do not hold"));
  EXPECT_THAT(refused({table(), table("u")}), HasSubstr("table 'u' is not in it"));
  worker::ServedTable other = table();
  other.states.clear();
  EXPECT_THAT(refused({other}), HasSubstr("table 't' has no states in the program, the states "
                                          "'t.sum' in the checkpoint"));
  other = table();
  other.shape = {100, 3};
  EXPECT_THAT(refused({other}), HasSubstr("tensor 'rows.t' is not f32 [1, 6]"));
  other = table();
  other.type = TUTTI_F64;
  EXPECT_THAT(refused({other}), HasSubstr("tensor 'rows.t' is not f64 [1, 4]"));
}

TEST_F(ServerParts, with_rows_that_cannot_be_are_refused) {
  save_rank(2);
  save_server(0, 2, {3, 70});
  save_server(1, 2, {60, 70});
  EXPECT_THAT(refused(), HasSubstr("server-1-of-2.safetensors': row 70 of table 't' is in the file "
                                   "of another server, too"));
  save_server(1, 2, {60, 59});
  EXPECT_THAT(refused(), HasSubstr("row 59 of table 't' comes after row 60"));
  save_server(1, 2, {60, 60});
  EXPECT_THAT(refused(), HasSubstr("row 60 of table 't' comes after row 60"));
  save_server(1, 2, {60, 100});
  EXPECT_THAT(refused(), HasSubstr("it has row 100 of table 't', which has 100"));
  save_server(1, 2, {-1});
  EXPECT_THAT(refused(), HasSubstr("it has row -1 of table 't'"));
}

TEST_F(ServerParts, go_with_their_checkpoint) {
  for (int64_t at : {10, 20, 30}) {
    save_rank(1, at);
    save_server(0, 1, {3}, table(), "1", at);
  }
  std::filesystem::remove(path(0, 1, 30)); // its server still writes it
  CheckpointList list;
  ASSERT_FALSE(remove_old(folder, list, 30, 1, /*best=*/-1));
  EXPECT_FALSE(std::filesystem::exists(path(0, 1, 10)));
  EXPECT_TRUE(std::filesystem::exists(path(0, 1, 20)));
  EXPECT_EQ(folder.parts()->count(30), 1u);
}

TEST_F(ServerParts, that_break_off_leave_nothing) {
  Rows rows({1, 2, 3, 4}, /*has_lives=*/false);
  auto more = rows.source.more_rows;
  int pieces = 0;
  rows.source.more_rows = [&]() -> Result<SomeRows> {
    return ++pieces == 2 ? Result<SomeRows>(Error::make(TUTTI_SYSTEM_ERROR, "the disk is gone"))
                         : more();
  };
  ServerPart part = ServerPart::of(run(1), program({table()}), 0);
  Error error = write_server_part(path(0, 1), part, {table()}, {rows.source});
  EXPECT_EQ(error.message, "the disk is gone");
  EXPECT_FALSE(std::filesystem::exists(path(0, 1)));
  EXPECT_TRUE(std::filesystem::is_empty(folder.checkpoints()));
}

/// Of workers that do not wait for each other, how many pushes of each are in it.
TEST(ServerPart, TellsThePushesOfTheWorkers) {
  ServerPart part;
  part.workers = {3, 0, 7};
  Metadata metadata = part.metadata();
  EXPECT_THAT(ServerPart::parse(metadata)->workers, ElementsAre(3, 0, 7));
  for (const char *bad : {"{}", "{\"pushes\":[1,-2]}", "{\"pushes\":\"all\"}", "[1]"}) {
    metadata["workers"] = bad;
    EXPECT_THAT(ServerPart::parse(metadata).error().message, HasSubstr("its field 'workers'"));
  }
  metadata.erase("workers");
  EXPECT_TRUE(ServerPart::parse(metadata)->workers.empty());
}
