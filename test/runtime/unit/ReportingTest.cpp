// What a run tells: metrics, progress, and numbers of every type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/HalfPrecision.h"
#include "runtime/worker/Buffers.h"
#include "runtime/worker/MetricsWriter.h"
#include "runtime/worker/Progress.h"
#include "test/runtime/TemporaryFolder.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

/// What `body` prints.
template <typename Body> std::string printed(Body body) {
  TemporaryFolder folder;
  std::FILE *out = std::fopen(folder.path("out").c_str(), "w");
  body(out);
  std::fclose(out);
  return TemporaryFolder::read(folder.path("out"));
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

TEST(MetricsWriter, says_when_it_cannot_write) {
  EXPECT_THAT(MetricsWriter::open("/no/such/folder/m", {}).error().message,
              HasSubstr("cannot write metrics to '/no/such/folder/m'"));
  Result<MetricsWriter> full = MetricsWriter::open("/dev/full", {"loss"});
  ASSERT_TRUE(full);
  full->write({1, 1, {0}, 1});
  EXPECT_THAT(full->close().message, HasSubstr("No space left"));
}

TEST(MetricsWriter, without_a_path_writes_nothing) {
  Result<MetricsWriter> none = MetricsWriter::open("", {"loss"});
  none->write({1, 1, {0}, 1});
  EXPECT_FALSE(none->close());
}

TEST(Progress, logs_ten_lines_and_the_last) {
  std::string log = printed([](std::FILE *out) {
    Progress progress("log", out, 1000, 2);
    for (int64_t step = 1; step <= 1000; ++step)
      progress.show(step, step / 501 + 1, 0.5, true, 10);
    progress.finish();
  });
  EXPECT_GE(std::count(log.begin(), log.end(), '\n'), 10);
  EXPECT_LE(std::count(log.begin(), log.end(), '\n'), 20);
  EXPECT_THAT(log, HasSubstr("epoch 2/2  step 1000/1000  loss 0.5  10 samples/s\n"));
}

TEST(Progress, changes_one_line_on_a_terminal) {
  std::string log = printed([](std::FILE *out) {
    Progress progress("line", out, 2, 1);
    progress.show(1, 1, 0, false, 10);
    progress.show(2, 1, 0, false, 10);
    progress.finish();
    progress.finish();
  });
  EXPECT_THAT(log, HasSubstr("\r\033[Kepoch 1/1  step 2/2  10 samples/s\n"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1);
}

TEST(Progress, is_silent_when_asked_to) {
  EXPECT_EQ(printed([](std::FILE *out) {
              Progress progress("none", out, 2, 1);
              progress.show(2, 1, 0, true, 10);
              progress.finish();
            }),
            "");
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
