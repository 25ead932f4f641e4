// Lists of rows are divided over servers and put together again, whichever way servers are reached.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/RowClient.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
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

/// What a server was asked, and what it answers: row r is {r, r + 0.5}.
struct Log {
  std::vector<std::vector<int64_t>> pulled, pushed;
  std::vector<std::vector<float>> gradients;
  int open = 0; ///< pulls that nobody has finished
  Error failure;
};

class FakeChannel final : public RowChannel {
public:
  explicit FakeChannel(Log &log) : log(log) {}

  Error start_pull(const RowPull &pull) override {
    if (log.failure)
      return log.failure;
    log.pulled.push_back(pull.rows);
    answer.clear();
    for (int64_t row : pull.rows)
      answer.insert(answer.end(), {float(row), float(row) + 0.5f});
    ++log.open;
    return Error::success();
  }
  Result<const char *> finish_pull() override {
    --log.open;
    return reinterpret_cast<const char *>(answer.data());
  }
  Error start_push(const RowPush &push) override {
    log.pushed.push_back(push.rows);
    log.gradients.emplace_back(push.rows.size() * 2);
    push.gather(reinterpret_cast<char *>(log.gradients.back().data()));
    return Error::success();
  }
  Error finish_pushes() override { return log.failure; }

private:
  Log &log;
  std::vector<float> answer;
};

/// A client of fake servers.
struct Clients {
  Clients(const ServedTable &table, int64_t servers)
      : logs(servers), client({table}, channels(logs)) {}

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
        division.divide_distinct(where, list.data(), int64_t(list.size()));
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
      Error error = clients.client.pull({0, 0, 300, list.data()},
                                        reinterpret_cast<char *>(rows.data()), /*states=*/false);
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
  ASSERT_FALSE(clients.client.pull({0, 0, 3, list}, reinterpret_cast<char *>(rows), false));
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

TEST(RowClient, PullsThatWereStartedAreFinishedWhenAnotherFails) {
  Clients clients(table_of(10, range), 3);
  clients.logs[1].failure = Error::make(TUTTI_PEER_FAILED, "server 1 is gone");
  int64_t list[] = {0, 5, 9};
  float rows[6];
  Error error = clients.client.pull({0, 0, 3, list}, reinterpret_cast<char *>(rows), false);
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
  EXPECT_EQ(service.pull(service.self, &list, nullptr, message, sizeof message), TUTTI_BAD_PROGRAM);
  EXPECT_STREQ(message, "there is no table 1 of 1");
}
