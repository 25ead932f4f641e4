// Frames: values stand where they should, and what cannot be filled is not written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/checkpoint/Frame.h"
#include "test/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::checkpoint;
using testing::HasSubstr;

namespace {

class Frames : public testing::Test {
protected:
  Frame frame(std::vector<FrameSlot> slots) {
    return {folder.path("model.onnx"), folder.write("content", "begin....middle..end"),
            std::move(slots)};
  }
  /// Letters of the name, as many as it says: "w4", in pieces.
  static Error give(const std::string &variable, const Sink &sink) {
    if (variable == "lost")
      return Error::make(TUTTI_PEER_FAILED, "it is lost");
    for (int i = 0; i < variable[1] - '0'; ++i)
      sink(variable.data(), 1);
    return Error::success();
  }
  std::string complaint(std::vector<FrameSlot> slots) {
    std::string path = folder.write("model.onnx", "old");
    Error error = write_frame(frame(std::move(slots)), give);
    EXPECT_EQ(TemporaryFolder::read(path), "old") << "written in spite of an error";
    return error ? error.message : "no error";
  }
  TemporaryFolder folder;
};

} // namespace

TEST_F(Frames, hold_values_in_their_places) {
  Error error = write_frame(frame({{"w4", 5, 4}, {"b2", 15, 2}}), give);
  ASSERT_FALSE(error) << error.message;
  EXPECT_EQ(TemporaryFolder::read(folder.path("model.onnx")), "beginwwwwmiddlebbend");
}

TEST_F(Frames, may_have_no_slots_and_empty_ones) {
  ASSERT_FALSE(write_frame(frame({{"w0", 3, 0}, {"b0", 20, 0}}), give));
  EXPECT_EQ(TemporaryFolder::read(folder.path("model.onnx")), "begin....middle..end");
  ASSERT_FALSE(write_frame(frame({}), give));
  EXPECT_EQ(TemporaryFolder::read(folder.path("model.onnx")), "begin....middle..end");
}

TEST_F(Frames, are_not_filled_beyond_their_places) {
  EXPECT_THAT(complaint({{"w", 17, 4}}),
              HasSubstr("the place of 'w', 4 bytes from 17 on, is not free in a file of 20 bytes"));
  EXPECT_THAT(complaint({{"w", -1, 4}}), HasSubstr("the place of 'w'"));
  EXPECT_THAT(complaint({{"w", 0, -4}}), HasSubstr("the place of 'w'"));
  EXPECT_THAT(complaint({{"w", 5, INT64_MAX}}), HasSubstr("the place of 'w'"));
  EXPECT_THAT(complaint({{"w", 5, 4}, {"b", 8, 2}}), HasSubstr("the place of 'b'"));
}

TEST_F(Frames, are_not_written_without_a_value) {
  EXPECT_EQ(complaint({{"w4", 5, 4}, {"lost", 15, 2}}), "it is lost");
}

TEST_F(Frames, are_not_filled_with_values_of_other_sizes) {
  EXPECT_THAT(complaint({{"w3", 5, 4}}), HasSubstr("variable 'w3' has 3 bytes, its place 4"));
  EXPECT_THAT(complaint({{"w5", 5, 4}}), HasSubstr("variable 'w5' has 5 bytes, its place 4"));
}
