// The table of docs/communication.md is what the schedules count.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/schedules/Traffic.h"
#include "runtime/support/Error.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

using namespace tutti::runtime;
using namespace tutti::runtime::schedules;

namespace {

/// "26,598".
std::string spelled(int64_t count) {
  std::string digits = std::to_string(count);
  for (int64_t at = int64_t(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(size_t(at), ",");
  return digits;
}

std::string line(const char *size, int64_t bytes, int32_t ranks) {
  constexpr int64_t element_bytes = 4;
  Row row = {bytes / element_bytes, element_bytes, element_bytes};
  Way way = way_of(ranks, row);
  Traffic taken = busiest_traffic_of(way, ranks, row);
  Traffic slices = busiest_traffic_of(Way::slices, ranks, row);
  return text("| ", size, " | ", spelled(ranks), " | ", name_of(way), " | ",
              spelled(taken.messages), " | ", spelled(taken.bytes), " | ", spelled(taken.steps),
              " | ", spelled(slices.messages), " |\n");
}

std::string table() {
  std::string lines = "| row | ranks | way | messages | bytes | steps | messages of slices |\n"
                      "| --- | --- | --- | --- | --- | --- | --- |\n";
  constexpr std::pair<const char *, int64_t> sizes[] = {
      {"4 B", 4}, {"1 KiB", 1 << 10}, {"1 MiB", 1 << 20}, {"100 MiB", 100 << 20}};
  for (auto [size, bytes] : sizes)
    for (int32_t ranks : {8, 64, 128, 1024, 16384})
      lines += line(size, bytes, ranks);
  return lines;
}

} // namespace

TEST(TrafficTable, stands_in_the_documentation) {
  std::ifstream file(SOURCE_FOLDER "/docs/communication.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_THAT(page.str(), testing::HasSubstr(table()));
}
