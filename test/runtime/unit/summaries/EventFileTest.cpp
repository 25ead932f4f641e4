// The bytes of event files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/summaries/EventFile.h"
#include "test/runtime/TemporaryFolder.h"

#include <filesystem>
#include <gtest/gtest.h>

using namespace tutti::runtime::summaries;

namespace {

/// The only file of a folder.
std::string only_file(const std::string &folder) {
  std::filesystem::directory_iterator entry(folder), end;
  return entry == end ? "" : entry->path().string();
}

} // namespace

TEST(EventMessage, has_the_fields_of_the_format) {
  using namespace std::string_literals;
  EXPECT_EQ(version_event(1.5), "\x09\0\0\0\0\0\0\xf8\x3f\x1a\x0d"s + "brain.Event:2");
  EXPECT_EQ(start_event(1.5, 300), "\x09\0\0\0\0\0\0\xf8\x3f\x10\xac\x02\x3a\x02\x08\x01"s);
  EXPECT_EQ(scalar_event(1.5, 7, {{"loss", 0.5}}),
            "\x09\0\0\0\0\0\0\xf8\x3f\x10\x07\x2a\x0d\x0a\x0b\x0a\x04loss\x15\0\0\0\x3f"s);
}

TEST(EventFile, frames_a_record_as_tfrecord_does) {
  // The first record that TensorFlow's own writer gives for "abc".
  std::string record = record_of("abc");
  EXPECT_EQ(record.size(), 8u + 4 + 3 + 4);
  EXPECT_EQ(record.substr(0, 8), std::string("\x03\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(record.substr(12, 3), "abc");
}

TEST(EventFile, is_there_with_its_first_scalars) {
  TemporaryFolder folder;
  auto file = EventFile::open(folder.path(""), 0);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(std::filesystem::path(only_file(folder.path(""))).filename().string().find("events"),
            std::string::npos);
  file->write(1, {{"loss", 1}});
  std::string path = only_file(folder.path(""));
  EXPECT_NE(path.find("/events.out.tfevents."), std::string::npos) << path;
  std::string first = TemporaryFolder::read(path);
  file->write(2, {{"loss", 2}});
  EXPECT_GT(TemporaryFolder::read(path).size(), first.size()); // whole, at once
  EXPECT_EQ(TemporaryFolder::read(path).substr(0, first.size()), first);
  EXPECT_FALSE(file->close());
}

TEST(EventFile, without_scalars_is_none) {
  TemporaryFolder folder;
  {
    auto file = EventFile::open(folder.path(""), 5);
    ASSERT_TRUE(file);
    EXPECT_FALSE(file->close());
  }
  EXPECT_EQ(folder.files(), 0u);
}
