// The check values of RFC 3720, appendix B.4, and of the catalogue of CRC algorithms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/Crc32c.h"

#include <gtest/gtest.h>
#include <string>

using namespace tutti::runtime;

TEST(Crc32c, gives_the_published_values) {
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  std::string ascending;
  for (char byte = 0; byte < 32; ++byte)
    ascending += byte;
  EXPECT_EQ(crc32c(ascending), 0x46dd794eu);
}

TEST(Crc32c, does_not_depend_on_how_the_data_are_cut) {
  std::string data;
  for (int i = 0; i < 1000; ++i)
    data += char(i * 7 % 251);
  for (size_t cut : {1, 3, 7, 8, 9, 64, 999}) {
    Crc32c sum;
    sum.add(data.data(), cut);
    sum.add(data.data() + cut, data.size() - cut);
    EXPECT_EQ(sum.value(), crc32c(data)) << cut;
  }
}
