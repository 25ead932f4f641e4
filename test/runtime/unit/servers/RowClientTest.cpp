// Lists of rows are divided over servers and put together again, whichever way servers are reached.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/RowClient.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>
#include <set>

using namespace tutti::runtime;
using namespace tutti::runtime::servers;
using testing::ElementsAre;
using testing::HasSubstr;
using worker::ServedTable;

namespace {

ServedTable table_of(int64_t rows, ServedTable::Placement placement) {
  ServedTable table;
  table.name = "w";
  table.type = TUTTI_F32;
  table.shape = {rows, 2};
  table.placement = placement;
  return table;
}

constexpr auto range = ServedTable::Placement::range, hash = ServedTable::Placement::hash;

std::vector<int64_t> random_list(int64_t rows, size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int64_t> list(count);
  for (int64_t &row : list)
    row = int64_t(random() % uint64_t(rows));
  return list;
}

/// What a server was asked, and what it answers: row r is {r, r + 0.5}, one million more once it
/// has changed.
struct Log {
  std::vector<std::vector<int64_t>> pulled, pushed, ahead; ///< rows, one entry a part
  std::vector<std::vector<int64_t>> pulls;                 ///< tables, one entry a message
  std::vector<bool> were_ahead;                            ///< of the parts that were pulled
  std::vector<std::vector<float>> gradients;
  std::vector<size_t> messages; ///< of pushes, their parts
  std::set<int64_t> changed;    ///< rows, since they were asked for ahead
  int open = 0;                 ///< pulls that nobody has finished
  Error failure;
};

class FakeChannel final : public RowChannel {
public:
  explicit FakeChannel(Log &log) : log(log) {}

  Error start_pull(const RowRequest &pull) override {
    if (log.failure)
      return log.failure;
    answer.clear();
    log.pulls.emplace_back();
    for (const RowPart &part : pull.parts) {
      log.pulls.back().push_back(part.table);
      log.pulled.push_back(rows_of(part));
      log.were_ahead.push_back(part.is_prefetched);
      answer.push_back(part.is_prefetched ? ahead.at(part.table) : values(part));
      const std::vector<int64_t> &rows = rows_ahead[part.table];
      for (size_t i = 0; part.is_prefetched && i < rows.size(); ++i)
        if (log.changed.count(rows[i]))
          answer.back()[2 * i] += 1e6f;
    }
    ++log.open;
    return Error::success();
  }
  Result<std::vector<char *>> finish_pull() override {
    --log.open;
    std::vector<char *> places;
    for (std::vector<float> &part : answer)
      places.push_back(reinterpret_cast<char *>(part.data()));
    return places;
  }
  Error prefetch(const RowRequest &asked) override {
    ahead.clear();
    for (const RowPart &part : asked.parts) {
      log.ahead.push_back(rows_of(part));
      ahead[part.table] = values(part);
      rows_ahead[part.table] = rows_of(part);
    }
    return Error::success();
  }
  Error add_push(int64_t, const RowPart &part, const RowGradients &gradients) override {
    log.pushed.push_back(rows_of(part));
    log.gradients.emplace_back(part.count() * 2);
    gradients.gather(reinterpret_cast<char *>(log.gradients.back().data()));
    ++added;
    return Error::success();
  }
  Error post_pushes() override {
    if (added > 0)
      log.messages.push_back(added);
    added = 0;
    return Error::success();
  }
  Error finish_pushes() override { return log.failure; }

private:
  static std::vector<int64_t> rows_of(const RowPart &part) {
    std::vector<int64_t> rows(part.count());
    part.indices.copy(reinterpret_cast<char *>(rows.data()), part.indices.size());
    return rows;
  }
  static std::vector<float> values(const RowPart &part) {
    size_t width = size_t(part.row_bytes) / sizeof(float);
    std::vector<int64_t> rows = rows_of(part);
    std::vector<float> all(rows.size() * width);
    for (size_t i = 0; i < rows.size(); ++i) {
      all[i * width] = float(rows[i]);
      all[i * width + 1] = float(rows[i]) + 0.5f;
    }
    return all;
  }

  Log &log;
  size_t added = 0;
  std::vector<std::vector<float>> answer;
  std::map<int64_t, std::vector<float>> ahead;
  std::map<int64_t, std::vector<int64_t>> rows_ahead;
};

/// A client of fake servers.
struct Clients {
  Clients(const ServedTable &table, int64_t servers, size_t tables = 1)
      : logs(servers), client(std::vector<ServedTable>(tables, table), channels(logs)) {}

  Error pull(const tutti_row_list &list, float *rows) {
    void *out = rows;
    return client.pull(&list, 1, &out, /*states=*/false);
  }

  static std::vector<std::unique_ptr<RowChannel>> channels(std::vector<Log> &logs) {
    std::vector<std::unique_ptr<RowChannel>> made;
    for (Log &log : logs)
      made.push_back(std::make_unique<FakeChannel>(log));
    return made;
  }

  std::vector<Log> logs;
  RowClient client;
};

} // namespace

TEST(DistinctRows, AreNumberedAsTheyCome) {
  DistinctRows distinct;
  for (int64_t list = 0; list < 3; ++list) { // numbers of a list say nothing about the next
    distinct.start(5);
    bool is_new = false;
    std::vector<int64_t> numbers;
    std::vector<bool> news;
    for (int64_t row : std::vector<int64_t>{7, 7 + list, int64_t(1) << 40, 7, 0}) {
      numbers.push_back(distinct.number(row, is_new));
      news.push_back(is_new);
    }
    if (list == 0) {
      EXPECT_THAT(numbers, ElementsAre(0, 0, 1, 0, 2));
      EXPECT_THAT(news, ElementsAre(true, false, true, false, true));
    } else {
      EXPECT_THAT(numbers, ElementsAre(0, 1, 2, 0, 3));
      EXPECT_THAT(news, ElementsAre(true, true, true, false, true));
    }
  }
}

TEST(DistinctRows, OfManyListsAreThoseOfASet) {
  DistinctRows distinct;
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::vector<int64_t> list = random_list(seed % 2 ? 50 : 100000, 1 + 100 * seed, seed);
    distinct.start(int64_t(list.size()));
    std::set<int64_t> seen;
    for (int64_t row : list) {
      bool is_new;
      int64_t number = distinct.number(row, is_new);
      EXPECT_EQ(is_new, seen.insert(row).second);
      EXPECT_LT(number, int64_t(seen.size()));
    }
  }
}

TEST(RowDivision, OfAPullAsksForEachRowOnce) {
  for (auto placement : {range, hash})
    for (int64_t servers : {1, 2, 3, 7}) {
      ServedTable table = table_of(100, placement);
      Placement where({table}, 0, servers);
      RowDivision division(servers);
      for (unsigned seed = 0; seed < 3; ++seed) {
        std::vector<int64_t> list = random_list(100, 80, seed);
        DistinctRows distinct;
        division.divide_distinct(where, list, distinct);
        ASSERT_EQ(division.places().size(), list.size());
        size_t asked = 0;
        for (int64_t server = 0; server < servers; ++server)
          asked += division.rows_of(server).size();
        EXPECT_EQ(asked, std::set<int64_t>(list.begin(), list.end()).size());
        for (size_t i = 0; i < list.size(); ++i) {
          RowDivision::Place place = division.places()[i];
          EXPECT_EQ(place.server, where.server_of(list[i]));
          EXPECT_EQ(division.rows_of(place.server).at(place.number), list[i]);
        }
      }
    }
}

TEST(RowClient, PullsAreRowsInTheOrderOfTheList) {
  for (auto placement : {range, hash})
    for (int64_t servers : {1, 2, 5}) {
      Clients clients(table_of(1000, placement), servers);
      std::vector<int64_t> list = random_list(1000, 300, 1);
      std::vector<float> rows(600);
      Error error = clients.pull({0, 0, 300, list.data()}, rows.data());
      ASSERT_FALSE(error) << error.message;
      for (size_t i = 0; i < list.size(); ++i) {
        EXPECT_EQ(rows[2 * i], float(list[i]));
        EXPECT_EQ(rows[2 * i + 1], float(list[i]) + 0.5f);
      }
    }
}

TEST(RowWire, RoundsToTheNearest) {
  using Wire = ServedTable::Wire;
  float numbers[] = {1, -0.5f, 1.00390625f, 65504, 1e-3f};
  float back[5];
  char packed[sizeof numbers];
  for (Wire wire : {Wire::none, Wire::bf16, Wire::f16}) {
    RowWire travel(wire);
    EXPECT_EQ(travel.bytes_of(sizeof numbers), wire == Wire::none ? 20 : 10);
    travel.pack(reinterpret_cast<char *>(numbers), sizeof numbers, packed);
    travel.unpack(packed, sizeof numbers, reinterpret_cast<char *>(back));
    EXPECT_THAT(back[0], 1.0f);
    EXPECT_THAT(back[1], -0.5f);
    EXPECT_EQ(back[2], wire == Wire::bf16 ? 1.0f : 1.00390625f); // half way: to even
    EXPECT_EQ(back[3], wire == Wire::bf16 ? 65536.0f : 65504.0f);
    EXPECT_EQ(back[4] == 1e-3f, wire == Wire::none);
    EXPECT_NEAR(back[4], 1e-3f, 4e-6f);
  }
}

TEST(RowClient, AServerThatHasNoneOfTheRowsIsNotAsked) {
  Clients clients(table_of(10, range), 2);
  int64_t list[] = {9, 8, 9};
  float rows[6];
  ASSERT_FALSE(clients.pull({0, 0, 3, list}, rows));
  EXPECT_TRUE(clients.logs[0].pulled.empty());
  EXPECT_THAT(clients.logs[1].pulled, ElementsAre(ElementsAre(9, 8)));
  EXPECT_THAT(rows, ElementsAre(9, 9.5, 8, 8.5, 9, 9.5));
}

TEST(RowClient, EveryServerGetsAPush) {
  Clients clients(table_of(10, range), 3);
  int64_t list[] = {9, 0, 8};
  float gradients[] = {1, 2, 3, 4, 5, 6};
  ASSERT_FALSE(
      clients.client.push({0, 0, 3, list}, reinterpret_cast<char *>(gradients), "scalars"));
  EXPECT_THAT(clients.logs[0].pushed, ElementsAre(ElementsAre(0)));
  EXPECT_THAT(clients.logs[1].pushed, ElementsAre(ElementsAre()));
  EXPECT_THAT(clients.logs[2].pushed, ElementsAre(ElementsAre(9, 8)));
  EXPECT_THAT(clients.logs[0].gradients, ElementsAre(ElementsAre(3, 4)));
  EXPECT_THAT(clients.logs[2].gradients, ElementsAre(ElementsAre(1, 2, 5, 6)));
}

TEST(RowClient, ListsOfOnePullAreOneMessage) {
  Clients clients(table_of(10, range), 2, /*tables=*/3);
  int64_t first[] = {9, 0}, second[] = {3, 3}, third[] = {0, 8, 9};
  tutti_row_list lists[] = {{2, 5, 2, first}, {1, 5, 2, second}, {2, 5, 3, third}};
  float a[4], b[4], c[6];
  void *out[] = {a, b, c};
  ASSERT_FALSE(clients.client.pull(lists, 3, out, /*states=*/false));
  // Both lists of table 2 together, each row once.
  EXPECT_THAT(clients.logs[0].pulls, ElementsAre(ElementsAre(2, 1)));
  EXPECT_THAT(clients.logs[0].pulled, ElementsAre(ElementsAre(0), ElementsAre(3)));
  EXPECT_THAT(clients.logs[1].pulls, ElementsAre(ElementsAre(2)));
  EXPECT_THAT(clients.logs[1].pulled, ElementsAre(ElementsAre(9, 8)));
  EXPECT_THAT(a, ElementsAre(9, 9.5, 0, 0.5));
  EXPECT_THAT(b, ElementsAre(3, 3.5, 3, 3.5));
  EXPECT_THAT(c, ElementsAre(0, 0.5, 8, 8.5, 9, 9.5));
  lists[1].step = 6;
  EXPECT_THAT(clients.client.pull(lists, 3, out, false).message,
              HasSubstr("lists of one pull are of steps 5 and 6"));
}

TEST(RowClient, RowsOfManyBytesAreSeveralMessages) {
  constexpr int64_t many = 1100, width = 1 << 14; // 64 KiB each, 69 MiB together
  ServedTable table = table_of(many, range);
  table.shape = {many, width};
  Clients clients(table, 1, /*tables=*/3);
  std::vector<int64_t> all(many);
  std::iota(all.begin(), all.end(), 0);
  tutti_row_list lists[] = {{0, 0, 1, &all[5]}, {1, 0, many, all.data()}, {2, 0, 1, &all[7]}};
  std::vector<float> a(width), b(many * width), c(width);
  void *out[] = {a.data(), b.data(), c.data()};
  ASSERT_FALSE(clients.client.pull(lists, 3, out, /*states=*/false));
  EXPECT_THAT(clients.logs[0].pulls, ElementsAre(ElementsAre(0, 1), ElementsAre(2)));
  EXPECT_EQ(a[0], 5);
  EXPECT_EQ(b[(many - 1) * width], many - 1);
  EXPECT_EQ(c[0], 7);
}

TEST(RowClient, PushesOfAStepAreOneMessage) {
  Clients clients(table_of(10, range), 2, /*tables=*/3);
  int64_t row = 1;
  float gradient[] = {1, 2};
  for (int64_t step = 0; step < 2; ++step)
    for (int64_t table = 0; table < 3; ++table)
      ASSERT_FALSE(clients.client.push({table, step, 1, &row}, reinterpret_cast<char *>(gradient),
                                       "scalars"));
  for (const Log &log : clients.logs)
    EXPECT_THAT(log.messages, ElementsAre(3, 3));
}

/// What was asked for ahead is what the pull gets, but for rows that have changed since; whoever
/// asks for something else gets that.
TEST(RowClient, RowsThatWereAskedForAheadComeWithThePull) {
  Clients clients(table_of(10, range), 2);
  int64_t now[] = {4, 9}, later[] = {8, 1, 8};
  tutti_row_list next = {0, 1, 3, later};
  float rows[6];
  ASSERT_FALSE(clients.client.prefetch(&next, 1));
  EXPECT_TRUE(clients.logs[0].ahead.empty()); // the step's own pull comes first
  ASSERT_FALSE(clients.pull({0, 0, 2, now}, rows));
  EXPECT_THAT(clients.logs[0].ahead, ElementsAre(ElementsAre(1)));
  EXPECT_THAT(clients.logs[1].ahead, ElementsAre(ElementsAre(8)));
  ASSERT_FALSE(clients.pull({0, 1, 2, now}, rows)); // an evaluation
  EXPECT_THAT(rows, ElementsAre(4, 4.5, 9, 9.5, testing::_, testing::_));
  clients.logs[1].changed = {8};
  ASSERT_FALSE(clients.pull({0, 1, 3, later}, rows));
  EXPECT_THAT(rows, ElementsAre(1e6f + 8, 8.5, 1, 1.5, 1e6f + 8, 8.5));
  EXPECT_THAT(clients.logs[1].were_ahead, ElementsAre(false, false, true));
  ASSERT_FALSE(clients.pull({0, 1, 3, later}, rows)); // once
  EXPECT_THAT(clients.logs[1].were_ahead, ElementsAre(false, false, true, false));
}

TEST(RowClient, PullsThatWereStartedAreFinishedWhenAnotherFails) {
  Clients clients(table_of(10, range), 3);
  clients.logs[1].failure = Error::make(TUTTI_PEER_FAILED, "server 1 is gone");
  int64_t list[] = {0, 5, 9};
  float rows[6];
  Error error = clients.pull({0, 0, 3, list}, rows);
  EXPECT_EQ(error.status, TUTTI_PEER_FAILED);
  EXPECT_THAT(error.message, HasSubstr("server 1 is gone"));
  for (const Log &log : clients.logs)
    EXPECT_EQ(log.open, 0);
  EXPECT_THAT(clients.client.finish().message, HasSubstr("server 1 is gone"));
}

TEST(RowClient, TheServiceTellsWhatIsWrong) {
  Clients clients(table_of(10, range), 1);
  const tutti_row_service &service = *clients.client.service();
  char message[64] = "";
  tutti_row_list list = {1, 0, 0, nullptr};
  EXPECT_EQ(service.pull(service.self, &list, 1, nullptr, message, sizeof message),
            TUTTI_BAD_PROGRAM);
  EXPECT_STREQ(message, "there is no table 1 of 1");
}
