// What a run tells: metrics, progress, and numbers of every type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/Buffers.h"
#include "runtime/host/reporting/MetricsWriter.h"
#include "runtime/host/reporting/Progress.h"
#include "runtime/host/reporting/StepTimes.h"
#include "runtime/support/HalfPrecision.h"
#include "test/runtime/TemporaryFolder.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

/// Keeps what is printed; `columns` of a terminal, or 0.
ProgressScreen screen(std::string &out, int columns = 0) {
  return {[&out](const std::string &text) { out += text; }, [columns] { return columns; }};
}

/// What a run of `steps` steps shows, each of which takes `seconds`.
std::string progress_of(int64_t steps, double seconds, const char *mode, int columns = 0) {
  std::string out;
  Progress progress(mode, screen(out, columns), steps, 2, 10);
  for (int64_t step = 1; step <= steps; ++step)
    progress.show({step, step * 2 > steps ? 2 : 1, 0.5, double(step) * seconds});
  progress.finish();
  progress.finish();
  return out;
}

std::vector<std::string> lines_of(const std::string &text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

} // namespace

TEST(MetricsWriter, writes_one_object_a_line) {
  TemporaryFolder folder;
  std::string path = folder.path("m.jsonl");
  Result<MetricsWriter> writer = MetricsWriter::open(path, {"loss", "accuracy"});
  ASSERT_TRUE(writer);
  writer->write({1, 1, {0.5, 0.25}, 100});
  writer->write({2, 1, {std::numeric_limits<double>::quiet_NaN(), 1}, 100});
  EXPECT_FALSE(writer->close());
  std::string text = TemporaryFolder::read(path);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            R"({"step":1,"epoch":1,"loss":0.5,"accuracy":0.25,"samples_per_second":100.0})");
  EXPECT_THAT(text, HasSubstr(R"("loss":null)"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST(MetricsWriter, goes_on_after_a_step) {
  TemporaryFolder folder;
  std::string path = folder.write(
      "m.jsonl", "{\"step\":1}\n{\"step\":2}\nnot a line\n{\"step\":3}\n{\"step\":4,\"cut");
  Result<MetricsWriter> writer = MetricsWriter::open(path, {});
  ASSERT_TRUE(writer);
  writer->go_on_after(2);
  writer->write({3, 1, {}, 0, {{"loss", 1}}});
  writer->flush();
  EXPECT_EQ(TemporaryFolder::read(path),
            "{\"step\":1}\n{\"step\":2}\n"
            "{\"step\":3,\"epoch\":1,\"evaluation\":{\"loss\":1.0}}\n");
  EXPECT_FALSE(writer->close());
}

TEST(MetricsWriter, says_when_it_cannot_write) {
  EXPECT_THAT(MetricsWriter::open("/no/such/folder/m", {}).error().message,
              HasSubstr("metrics: cannot write '/no/such/folder/m': there is no folder"));
  Result<MetricsWriter> full = MetricsWriter::open("/dev/full", {"loss"});
  ASSERT_TRUE(full);
  full->write({1, 1, {0}, 1});
  EXPECT_THAT(full->close().message, HasSubstr("No space left"));
}

TEST(MetricsWriter, replaces_an_older_file_with_its_first_line) {
  TemporaryFolder folder;
  std::string path = folder.write("m.jsonl", "older\n");
  EXPECT_FALSE(MetricsWriter::open(path, {"loss"})->close());
  EXPECT_EQ(TemporaryFolder::read(path), "older\n") << "a run without a step";
  Result<MetricsWriter> writer = MetricsWriter::open(path, {"loss"});
  EXPECT_EQ(TemporaryFolder::read(path), "older\n");
  writer->write({1, 1, {0.5}, 100});
  EXPECT_THAT(TemporaryFolder::read(path), testing::EndsWith("}\n"));
  EXPECT_FALSE(writer->close());
  EXPECT_EQ(folder.files(), 1u);
}

TEST(MetricsWriter, without_a_path_writes_nothing) {
  Result<MetricsWriter> none = MetricsWriter::open("", {"loss"});
  none->write({1, 1, {0}, 1});
  EXPECT_FALSE(none->close());
}

TEST(Progress, logs_ten_lines_and_the_last) {
  std::vector<std::string> log = lines_of(progress_of(1000, 0.001, "log"));
  EXPECT_GE(log.size(), 10u);
  EXPECT_LE(log.size(), 13u);
  EXPECT_EQ(log.back(), "epoch 2/2  step 1000/1000  loss 0.5  10000 samples/s");
  EXPECT_THAT(log[5], HasSubstr("  ETA 0:0"));
}

TEST(Progress, changes_one_line_on_a_terminal) {
  std::string log = progress_of(2, 1, "line");
  EXPECT_THAT(log, HasSubstr("\r\033[Kepoch 2/2  step 2/2  loss 0.5  10 samples/s\n"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1);
}

TEST(Progress, asks_whether_there_is_a_terminal) {
  EXPECT_THAT(progress_of(2, 1, "auto", 80), HasSubstr("\r"));
  EXPECT_THAT(progress_of(2, 1, "auto", 0), testing::Not(HasSubstr("\r")));
}

TEST(Progress, is_one_line_at_any_width) {
  for (int columns : {2, 5, 11, 20, 30, 40, 50, 60, 70, 200}) {
    std::string log = progress_of(1000, 0.5, "line", columns);
    for (size_t at = log.find("\033[K"); at != std::string::npos;) {
      size_t begin = at + 3;
      at = log.find("\033[K", begin);
      size_t end = std::min(log.find_first_of("\r\n", begin), log.size());
      std::string line = log.substr(begin, end - begin);
      EXPECT_LT(line.size(), size_t(columns)) << line;
      EXPECT_THAT(line, HasSubstr(std::string("step").substr(0, size_t(columns - 1))))
          << "the step stays to the end";
    }
  }
}

TEST(Progress, tells_the_present_rate_without_the_first_step) {
  std::string out;
  Progress progress("log", screen(out), 1000, 1, 10);
  double seconds = 60; // the first step
  progress.show({1, 1, 0.5, seconds});
  for (int64_t step = 2; step <= 500; ++step)
    progress.show({step, 1, 0.5, seconds += 0.1});
  EXPECT_THAT(lines_of(out).back(), HasSubstr("  100 samples/s  ETA 0:5"));
  for (int64_t step = 501; step <= 600; ++step)
    progress.show({step, 1, 0.5, seconds += 1});
  EXPECT_THAT(lines_of(out).back(), HasSubstr("  10 samples/s  ETA 6:40")) << "it has slowed down";
}

TEST(Progress, is_silent_when_asked_to) { EXPECT_EQ(progress_of(2, 1, "none"), ""); }

TEST(Progress, spells_durations) {
  EXPECT_EQ(duration_text(0.4), "0:00");
  EXPECT_EQ(duration_text(75), "1:15");
  EXPECT_EQ(duration_text(3661), "1:01:01");
  EXPECT_EQ(duration_text(90000), "1 d 01:00:00");
  EXPECT_EQ(duration_text(1.0 / 0.0), "years");
}

TEST(StepTimes, sets_the_first_step_apart) {
  StepTimes times;
  EXPECT_EQ(times.quantile(0.5), 0);
  times.record(10);
  EXPECT_EQ(times.quantile(0.5), 0);
  for (int i = 1; i <= 100; ++i)
    times.record(i * 1e-3);
  EXPECT_EQ(times.first(), 10);
  EXPECT_NEAR(times.quantile(0.5), 0.05, 0.001);
  EXPECT_NEAR(times.quantile(0.95), 0.095, 0.001);
}

TEST(Numbers, of_every_type_are_read) {
  auto read = [](int32_t type, auto value) { return read_number(type, &value); };
  EXPECT_EQ(read(TUTTI_F16, Float16::store(1.5f)), 1.5);
  EXPECT_EQ(read(TUTTI_BF16, BFloat16::store(1.5f)), 1.5);
  EXPECT_EQ(read(TUTTI_F32, 2.5f), 2.5);
  EXPECT_EQ(read(TUTTI_F64, 0.1), 0.1);
  EXPECT_EQ(read(TUTTI_I8, int8_t(-3)), -3);
  EXPECT_EQ(read(TUTTI_U8, uint8_t(200)), 200);
  EXPECT_EQ(read(TUTTI_BOOL, uint8_t(1)), 1);
  EXPECT_EQ(read(TUTTI_I16, int16_t(-300)), -300);
  EXPECT_EQ(read(TUTTI_I32, int32_t(70000)), 70000);
  EXPECT_EQ(read(TUTTI_I64, int64_t(-5)), -5);
  EXPECT_EQ(read(0, int64_t(-5)), 0);
}

TEST(Numbers, are_written_where_they_fit) {
  auto written = [](int32_t type, auto zero) {
    EXPECT_TRUE(write_number(type, &zero, 3));
    return double(zero);
  };
  EXPECT_EQ(written(TUTTI_F32, 0.0f), 3);
  EXPECT_EQ(written(TUTTI_F64, 0.0), 3);
  EXPECT_EQ(written(TUTTI_I32, int32_t(0)), 3);
  EXPECT_EQ(written(TUTTI_I64, int64_t(0)), 3);
  EXPECT_FALSE(write_number(TUTTI_BOOL, nullptr, 3));
}

TEST(Numbers, that_do_not_fit_are_not_written) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  auto fits = [](int32_t type, double value) {
    char memory[8];
    return write_number(type, memory, value);
  };
  EXPECT_TRUE(fits(TUTTI_F32, 0.1)) << "rounding is what a float does";
  EXPECT_FALSE(fits(TUTTI_F32, 1e39));
  EXPECT_FALSE(fits(TUTTI_F32, -1e39));
  EXPECT_TRUE(fits(TUTTI_F32, inf));
  EXPECT_TRUE(fits(TUTTI_F64, 1e39));
  EXPECT_TRUE(fits(TUTTI_F16, 65504));
  EXPECT_FALSE(fits(TUTTI_F16, 65536));
  EXPECT_TRUE(fits(TUTTI_BF16, 3e38));
  EXPECT_TRUE(fits(TUTTI_I32, -2147483648.0));
  EXPECT_FALSE(fits(TUTTI_I32, 2147483648.0));
  EXPECT_FALSE(fits(TUTTI_I32, 0.5));
  EXPECT_TRUE(fits(TUTTI_I64, -0x1p63));
  EXPECT_FALSE(fits(TUTTI_I64, 0x1p63));
  EXPECT_FALSE(fits(TUTTI_I64, inf));
  EXPECT_FALSE(fits(TUTTI_I64, std::numeric_limits<double>::quiet_NaN()));
}

TEST(Numbers, of_halves_are_written_as_halves) {
  uint16_t bits = 0;
  EXPECT_TRUE(write_number(TUTTI_F16, &bits, 1));
  EXPECT_EQ(bits, 0x3c00);
  EXPECT_TRUE(write_number(TUTTI_BF16, &bits, 1));
  EXPECT_EQ(bits, 0x3f80);
}
