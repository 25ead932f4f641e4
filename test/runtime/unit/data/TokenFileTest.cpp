// Files of tokens: samples, targets, and what is refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/BatchLoader.h"
#include "runtime/host/data/Dataset.h"
#include "test/runtime/NpyBytes.h"
#include "test/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::data;
using testing::HasSubstr;

namespace {

class TokenFile : public testing::Test {
protected:
  template <typename Token>
  Result<Dataset> open(std::vector<Token> tokens, const std::string &type, int64_t length) {
    Opening opening;
    opening.options.tokens = type;
    opening.options.length = length;
    return Dataset::open({folder.write("t.bin", bytes_of(tokens))}, {}, opening);
  }

  std::vector<InputSpec> inputs(int32_t type = TUTTI_I64) const {
    return {{"tokens", type, {2, 3}}, {"targets", type, {2, 3}}};
  }

  TemporaryFolder folder;
};

} // namespace

TEST_F(TokenFile, gives_tokens_and_those_that_follow_them) {
  for (bool is_wide : {false, true}) {
    uint32_t large = is_wide ? 4000000000u : 65535;
    Result<Dataset> dataset =
        is_wide ? open<uint32_t>({1, 2, 3, 4, 5, 6, large, 8}, "u32", 3)
                : open<uint16_t>({1, 2, 3, 4, 5, 6, uint16_t(large), 8}, "u16", 3);
    ASSERT_TRUE(dataset) << dataset.error().message;
    Result<std::vector<BoundArray>> bound = dataset->bind(inputs());
    ASSERT_TRUE(bound) << bound.error().message;
    RowGatherer rows(*bound);
    EXPECT_EQ(rows.rows(), 2);
    std::vector<int64_t> tokens(6), targets(6);
    void *buffers[] = {tokens.data(), targets.data()};
    ASSERT_FALSE(rows.gather(0, {1, 0}, buffers));
    EXPECT_EQ(tokens, (std::vector<int64_t>{4, 5, 6, 1, 2, 3}));
    EXPECT_EQ(targets, (std::vector<int64_t>{5, 6, large, 2, 3, 4}));
    EXPECT_EQ(rows.fingerprint(), RowGatherer(*bound).fingerprint());
  }
}

TEST_F(TokenFile, looks_at_every_value_before_the_run) {
  std::vector<uint16_t> tokens(20000, 7);
  tokens[15001] = 300;
  Result<Dataset> dataset = open<uint16_t>(tokens, "u16", 3);
  std::vector<InputSpec> wanted = inputs();
  IndexBounds bounds;
  bounds.high = 255, bounds.node = "embedding";
  wanted[0].indices = {bounds};
  EXPECT_THAT(dataset->bind(wanted).error().message,
              HasSubstr("t.bin': array 'tokens' (input 'tokens'): sample 5000, element 1 is 300, "
                        "but node 'embedding' has the entries 0 to 255"));
  EXPECT_THAT(dataset->bind(inputs(TUTTI_U8)).error().message,
              HasSubstr("sample 5000, element 1 is 300, which input 'tokens' of type u8"));
}

TEST_F(TokenFile, says_what_it_lacks) {
  EXPECT_THAT(open<uint16_t>({1, 2, 3}, "u16", 0).error().message,
              HasSubstr("--read=\"tokens=u16 length=128\""));
  EXPECT_THAT(open<uint16_t>({1, 2, 3}, "u32", 2).error().message,
              HasSubstr("its 6 bytes are no whole number of tokens of 4 bytes"));
  for (size_t count : {0, 1, 3})
    EXPECT_THAT(open<uint16_t>(std::vector<uint16_t>(count), "u16", 3).error().message,
                HasSubstr("too few for a sample of 3 and the token after them"));
}

TEST_F(TokenFile, changes_the_fingerprint_with_any_token_of_a_small_file) {
  std::vector<uint16_t> tokens(100, 7);
  auto fingerprint = [&] {
    return RowGatherer(*open<uint16_t>(tokens, "u16", 3)->bind(inputs())).fingerprint();
  };
  std::string before = fingerprint();
  tokens[50] = 8;
  EXPECT_NE(fingerprint(), before);
}
