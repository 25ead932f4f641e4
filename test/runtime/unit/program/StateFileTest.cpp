// States in a file: their values stay, whatever is in memory, and that is no more than a window.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/StateFile.h"

#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

constexpr int64_t elements = 256 << 10, bytes = 4 * elements;

/// States, one a use, and one variable without.
Manifest states_of(int64_t uses, int64_t elements_of_each = elements) {
  Manifest manifest;
  for (int64_t i = 0; i <= uses; ++i) {
    Variable variable;
    variable.name = text("v", i);
    variable.type = TUTTI_F32;
    variable.shape = {elements_of_each};
    if (i > 0)
      variable.use = i - 1;
    manifest.variables.push_back(variable);
  }
  return manifest;
}

/// Bytes of variable `index` that are in memory.
int64_t resident(const StateFile &file, size_t index) {
  std::vector<unsigned char> pages(size_t(bytes / sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(mincore(file.address(index), size_t(bytes), pages.data()), 0);
  int64_t there = 0;
  for (unsigned char page : pages)
    there += (page & 1) * sysconf(_SC_PAGESIZE);
  return there;
}

/// In the folder where the test runs, which is on a disk.
std::unique_ptr<StateFile> make(const Manifest &manifest) {
  auto made = StateFile::create(".", manifest);
  EXPECT_TRUE(made) << made.error().message;
  return made ? std::move(*made) : nullptr;
}

} // namespace

TEST(StateFile, keeps_values_and_three_uses_in_memory) {
  constexpr int64_t uses = 6;
  auto file = make(states_of(uses));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->address(0), nullptr) << "has no use";
  for (int64_t step = 1; step <= 3; ++step)
    for (int64_t use = 0; use < uses; ++use) {
      auto *values = static_cast<float *>(file->address(size_t(use) + 1));
      for (int64_t i = 0; i < elements; ++i) {
        ASSERT_EQ(values[i], step == 1 ? 0.0f : float((step - 1) * uses + use + i));
        values[i] = float(step * uses + use + i);
      }
      ASSERT_FALSE(file->release(use));
      int64_t others = 0;
      for (int64_t other = 0; other < uses; ++other) {
        int64_t after = (other - use + uses) % uses;
        others += after == 0 || after == 1 || after == 2 ? 0 : resident(*file, size_t(other) + 1);
      }
      // Of those that no step has touched yet none were ever there.
      EXPECT_EQ(others, 0) << "step " << step << ", use " << use;
    }
  ASSERT_FALSE(file->release_all());
  for (int64_t use = 2; use < uses; ++use)
    EXPECT_EQ(resident(*file, size_t(use) + 1), 0) << use;
  for (int64_t use = 0; use < uses; ++use)
    EXPECT_EQ(static_cast<float *>(file->address(size_t(use) + 1))[7], float(3 * uses + use + 7));
}

TEST(StateFile, gives_nothing_back_that_is_wanted_next) {
  auto file = make(states_of(3));
  ASSERT_TRUE(file);
  for (int64_t use = 0; use < 3; ++use) {
    std::memset(file->address(size_t(use) + 1), 1, size_t(bytes));
    ASSERT_FALSE(file->release(use));
  }
  for (size_t variable = 1; variable <= 3; ++variable)
    EXPECT_EQ(resident(*file, variable), bytes);
}

TEST(StateFile, leaves_nothing_in_its_folder) {
  namespace fs = std::filesystem;
  auto folder = fs::current_path() / "states-of-test";
  fs::create_directory(folder);
  auto made = StateFile::create(folder.string(), states_of(2));
  EXPECT_TRUE(made) << made.error().message;
  EXPECT_TRUE(fs::is_empty(folder));
  made = Error::make(TUTTI_OK, "");
  fs::remove(folder);
}

TEST(StateFile, has_no_address_without_states) {
  auto file = make(states_of(0));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->address(0), nullptr);
  EXPECT_FALSE(file->release_all());
}

TEST(StateFile, tells_what_a_folder_lacks) {
  auto missing = StateFile::create("/no/such/folder", states_of(1));
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message,
              HasSubstr("--offload: cannot make a file of 1048576 bytes in "
                        "'/no/such/folder': No such file or directory"));
  auto large = StateFile::create(".", states_of(8, int64_t(1) << 38)); // 1 TiB each
  ASSERT_FALSE(large);
  EXPECT_THAT(large.error().message,
              HasSubstr("--offload: '.' has no room for the states: 8796093022208 bytes are "
                        "wanted, and "));
  EXPECT_THAT(large.error().message, HasSubstr(" are free; name a folder with more"));
  auto in_memory = StateFile::create("/dev/shm", states_of(1));
  ASSERT_FALSE(in_memory);
  EXPECT_THAT(in_memory.error().message, HasSubstr("'/dev/shm' lies in memory"));
}

TEST(StateFile, refuses_a_use_that_it_does_not_know) {
  auto file = make(states_of(2));
  ASSERT_TRUE(file);
  const tutti_state_service *service = file->service();
  char message[100] = "";
  EXPECT_EQ(service->release(service->self, 2, message, sizeof message), TUTTI_BAD_PROGRAM);
  EXPECT_STREQ(message, "the program has no use 2 of states");
}
