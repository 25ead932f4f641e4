// Frames: values stand where they should, and what cannot be filled is not written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checkpoint/Frame.h"
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
  static Result<const void *> give(const std::string &variable) {
    if (variable == "lost")
      return Error::make(TUTTI_PEER_FAILED, "it is lost");
    return static_cast<const void *>(variable == "w" ? "WWWW" : "bb");
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
  Error error = write_frame(frame({{"w", 5, 4}, {"b", 15, 2}}), give);
  ASSERT_FALSE(error) << error.message;
  EXPECT_EQ(TemporaryFolder::read(folder.path("model.onnx")), "beginWWWWmiddlebbend");
}

TEST_F(Frames, may_have_no_slots_and_empty_ones) {
  ASSERT_FALSE(write_frame(frame({{"w", 3, 0}, {"b", 20, 0}}), give));
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
  EXPECT_EQ(complaint({{"w", 5, 4}, {"lost", 15, 2}}), "it is lost");
}
