// Memory that nobody can change once it is written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/SealedMemory.h"
#include "runtime/support/system/MappedFile.h"

#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace tutti::runtime;

TEST(SealedMemory, is_read_by_its_path) {
  for (const std::string &content :
       {std::string(), std::string("tutti"), std::string(100000, 'x')}) {
    Result<SealedMemory> memory = SealedMemory::of("a name", content);
    ASSERT_TRUE(memory) << memory.error().message;
    auto file = MappedFile::open(memory->path());
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ((*file)->bytes(), content);
  }
}

TEST(SealedMemory, cannot_be_changed) {
  Result<SealedMemory> memory = SealedMemory::make("a name", 3);
  ASSERT_TRUE(memory);
  std::copy_n("abc", 3, memory->begin());
  ASSERT_FALSE(memory->seal());
  EXPECT_EQ(memory->begin(), nullptr);
  EXPECT_EQ(write(memory->descriptor(), "x", 1), -1);
  EXPECT_EQ(ftruncate(memory->descriptor(), 1), -1);
  EXPECT_EQ(mmap(nullptr, 3, PROT_WRITE, MAP_SHARED, memory->descriptor(), 0), MAP_FAILED);
  EXPECT_EQ(errno, EPERM);
}

TEST(SealedMemory, ends_on_exec_and_has_a_name) {
  Result<SealedMemory> memory = SealedMemory::of(std::string(300, 'a') + "end", "");
  ASSERT_TRUE(memory) << memory.error().message;
  EXPECT_EQ(fcntl(memory->descriptor(), F_GETFD), FD_CLOEXEC);
  char name[400] = {};
  ASSERT_GT(readlink(memory->path().c_str(), name, sizeof name - 1), 0);
  EXPECT_NE(std::string(name).find("aaend"), std::string::npos) << name;
}
