// Programs that hand out samples: what they say, and what is refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/commands/CommandSource.h"
#include "runtime/host/data/Dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::data;
using testing::HasSubstr;

namespace {

/// What is wrong with a program that says `hello` first.
std::string complaint(const std::string &hello) {
  Result<Columns> columns = open_command("exec:echo '" + hello + "'");
  return columns ? "no error" : columns.error().message;
}

std::string with_columns(const std::string &columns, const std::string &more = "") {
  return "{\"tutti-data\": 1, \"samples\": 5, \"columns\": [" + columns + "]" + more + "}";
}

/// A program that answers each request, which `begin` reads, with `answer`, within `deadline`
/// seconds.
Error read_from(const std::string &answer, const std::vector<int64_t> &rows = {3, 1},
                const std::string &begin = "read line; ", int deadline = 1) {
  std::string hello = with_columns("{\"name\": \"x\", \"type\": \"u8\", \"shape\": [2]}",
                                   ", \"deadline\": " + std::to_string(deadline));
  Result<Columns> columns = open_command("exec:echo '" + hello + "'; " + begin + answer);
  if (!columns)
    return columns.error();
  Result<Array> array = columns->front().read();
  std::vector<const char *> out;
  return array->source->read(0, rows, out);
}

} // namespace

TEST(CommandSource, refuses_what_no_dataset_is) {
  EXPECT_THAT(complaint("{}"), HasSubstr("no \"tutti-data\": 1"));
  EXPECT_THAT(complaint("[]"), HasSubstr("it says '[]' on standard output"));
  EXPECT_THAT(complaint("{\"tutti-data\": 1}"), HasSubstr("how many samples an epoch has"));
  EXPECT_THAT(complaint("{\"tutti-data\": 1, \"samples\": 0}"), HasSubstr("\"samples\" is 0"));
  EXPECT_THAT(complaint("{\"error\": \"no disk\"}"), HasSubstr("': no disk"));
  EXPECT_THAT(complaint(with_columns("")), HasSubstr("no \"columns\""));
  EXPECT_THAT(complaint(with_columns("{\"name\": \"x\"}")), HasSubstr("lacks a name, a type or"));
  std::string x = "{\"name\": \"x\", \"type\": \"u8\", \"shape\": [2]}";
  EXPECT_EQ(complaint(with_columns(x)), "no error");
  EXPECT_THAT(complaint(with_columns(x + "," + x)), HasSubstr("is there twice"));
  EXPECT_THAT(complaint(with_columns("{\"name\": \"x\", \"type\": \"u7\", \"shape\": []}")),
              HasSubstr("has a type that is unknown"));
  EXPECT_THAT(complaint(with_columns("{\"name\": \"x\", \"type\": \"u8\", \"shape\": [-2]}")),
              HasSubstr("has a size that is none"));
  EXPECT_THAT(complaint(with_columns(
                  "{\"name\": \"x\", \"type\": \"f64\", \"shape\": [4611686018427387904, 8]}")),
              HasSubstr("the shape is too large"));
  EXPECT_THAT(complaint(with_columns(x, ", \"deadline\": -1")), HasSubstr("\"deadline\" is -1"));
}

TEST(CommandSource, keeps_commands_open_where_asked) {
  std::string command = "exec:echo '" +
                        with_columns("{\"name\": \"x\", \"type\": \"u8\", \"shape\": []}") +
                        "'; read line";
  auto source = [&] { return open_command(command)->front().read()->source; };
  EXPECT_NE(source(), source());
  auto kept = std::make_unique<KeptCommands>();
  std::shared_ptr<SampleSource> first = source();
  EXPECT_EQ(first, source());
  EXPECT_NE(first, open_command(command + " ")->front().read()->source);
  kept.reset();
  EXPECT_NE(first, source());
}

TEST(CommandSource, takes_the_fingerprint_of_a_program) {
  std::string x = "{\"name\": \"x\", \"type\": \"u8\", \"shape\": []}";
  EXPECT_THAT(complaint(with_columns(x, ", \"fingerprint\": 3")), HasSubstr("expected is a text"));
  auto words = [&](const std::string &fingerprint) {
    std::string hello = with_columns(x, ", \"fingerprint\": \"" + fingerprint + "\"");
    return open_command("exec:echo '" + hello + "'; read line")->front().read()->words;
  };
  EXPECT_EQ(words("May"), "May");
}

TEST(CommandSource, tells_what_became_of_a_request) {
  EXPECT_FALSE(read_from("echo '{\"done\": 2}'; read line"));
  EXPECT_THAT(read_from("echo '{\"done\": 1}'; read line").message,
              HasSubstr("it answers {\"done\":1}; expected is {\"done\": 2}"));
  EXPECT_THAT(read_from("echo '{\"error\": \"no picture\"}'; read line").message,
              HasSubstr("asked for sample 3 and 1 more of epoch 0: no picture"));
  EXPECT_THAT(read_from("echo gone >&2; exit 4").message,
              HasSubstr("it has ended with status 4 without an answer; the end of its standard "
                        "error:\ngone"));
  EXPECT_THAT(read_from("kill -9 $$").message, HasSubstr("by signal 9"));
  EXPECT_THAT(read_from("read line").message, HasSubstr("it has not answered for 1 seconds"));
}

TEST(CommandSource, ends_requests_that_are_not_read) {
  std::vector<int64_t> many(300000, 1); // more than a socket takes
  EXPECT_THAT(read_from("sleep 30", many, "").message,
              HasSubstr("it has not read a request for 1 seconds"));
  EXPECT_THAT(read_from("exit 3", many, "").message, HasSubstr("it has ended"));
}

TEST(CommandSource, reads_what_is_written_before_a_request_is) {
  std::vector<int64_t> many(300000, 1);
  std::string words = "head -c 70000 /dev/zero | tr '\\0' x >&2; read line; ";
  EXPECT_FALSE(read_from("echo '{\"done\": 300000}'; read line", many, words, 60));
}
