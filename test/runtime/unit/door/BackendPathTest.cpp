// Where backends are looked for by name, and the functions of the door by theirs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/door/EntryTable.h"
#include "test/runtime/TemporaryFolder.h"
#include "tutti/collectives.h"
#include "tutti/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

using testing::HasSubstr;
using testing::Not;

namespace {

class BackendPath : public testing::Test {
protected:
  void SetUp() override {
    for (const char *name : names)
      if (const char *value = std::getenv(name))
        before[name] = value;
    for (const char *name : names)
      unsetenv(name);
  }
  void TearDown() override {
    for (const char *name : names)
      if (before.count(name))
        setenv(name, before[name].c_str(), 1);
      else
        unsetenv(name);
  }
  /// The status of loading `name`; `message` is what was said.
  int32_t load(const char *name) {
    char said[2048] = {};
    const tutti_backend *backend = tutti_backend_self();
    int32_t status = tutti_backend_load(name, &backend, said, sizeof said);
    EXPECT_EQ(backend != nullptr, status == TUTTI_OK);
    message = said;
    return status;
  }

  static constexpr const char *names[] = {"TUTTI_BACKEND_PATH", "OMPI_COMM_WORLD_RANK", "PMI_RANK"};
  std::map<std::string, std::string> before;
  std::string message;
  TemporaryFolder folder;
};

} // namespace

TEST_F(BackendPath, is_searched_folder_by_folder) {
  setenv("TUTTI_BACKEND_PATH", "/no/first:/no/second", 1);
  EXPECT_EQ(load("x"), TUTTI_UNSUPPORTED);
  size_t first = message.find("/no/first/libtutti_backend_x.so");
  size_t second = message.find("; /no/second/libtutti_backend_x.so");
  EXPECT_LT(first, second);
  EXPECT_NE(second, std::string::npos) << message;
  EXPECT_THAT(message, Not(HasSubstr("/../lib"))) << "the library's own folder is left out";
  unsetenv("TUTTI_BACKEND_PATH");
  EXPECT_EQ(load("x"), TUTTI_UNSUPPORTED);
  EXPECT_THAT(message, HasSubstr("/../lib/libtutti_backend_x.so"));
}

TEST_F(BackendPath, may_hold_libraries_that_are_no_backends) {
  std::filesystem::create_symlink(LINEAR_1, folder.path("libtutti_backend_program.so"));
  folder.write("libtutti_backend_text.so", "no library");
  setenv("TUTTI_BACKEND_PATH", ("/no/such:" + folder.path("")).c_str(), 1);
  EXPECT_EQ(load("program"), TUTTI_UNSUPPORTED);
  EXPECT_THAT(message, HasSubstr("libtutti_backend_program.so has no function " +
                                 std::string(TUTTI_BACKEND_ENTRY_SYMBOL)));
  EXPECT_EQ(load("text"), TUTTI_UNSUPPORTED);
  EXPECT_THAT(message, HasSubstr("backend 'text' is not available: "));
}

TEST_F(BackendPath, of_mpi_is_that_of_its_launcher) {
  setenv("TUTTI_BACKEND_PATH", "/no", 1);
  load("mpi");
  EXPECT_THAT(message, HasSubstr("/no/libtutti_backend_openmpi.so"));
  setenv("PMI_RANK", "0", 1);
  load("mpi");
  EXPECT_THAT(message, HasSubstr("/no/libtutti_backend_mpich.so"));
  setenv("OMPI_COMM_WORLD_RANK", "0", 1); // which sets PMI's variables too
  load("mpi");
  EXPECT_THAT(message, HasSubstr("/no/libtutti_backend_openmpi.so"));
}

TEST_F(BackendPath, has_no_use_for_other_names) {
  for (const char *name : {static_cast<const char *>(nullptr), "", "/lib/x", "a/b"}) {
    EXPECT_EQ(load(name), TUTTI_INVALID_ARGUMENT);
    EXPECT_THAT(message, HasSubstr("this is no name of a backend"));
  }
  const tutti_backend *backend = nullptr;
  char small[12] = "untouched..";
  EXPECT_EQ(tutti_backend_load("", &backend, small, 8), TUTTI_INVALID_ARGUMENT);
  EXPECT_STREQ(small, "backend"); // cut, and ended
  EXPECT_EQ(small[8], 'd');
  EXPECT_EQ(tutti_backend_load("", &backend, nullptr, 0), TUTTI_INVALID_ARGUMENT);
}

TEST(EntryTable, has_every_function_of_the_door) {
  using tutti::runtime::find_entry;
  std::map<void *, std::string> seen;
  auto expect = [&](const char *name, void *address) {
    EXPECT_EQ(find_entry(name), address) << name;
    EXPECT_TRUE(seen.emplace(address, name).second) << name << " and " << seen[address];
  };
#define TUTTI_ENTRY(name, spelling, parameters, arguments)                                         \
  expect(#name, reinterpret_cast<void *>(&name));
#define TUTTI_QUERY_ENTRY(name, spelling, parameters, arguments)                                   \
  expect(#name, reinterpret_cast<void *>(&name));
#define TUTTI_HOST_ENTRY(result, name, parameters, arguments)                                      \
  expect(#name, reinterpret_cast<void *>(&name));
#include "tutti/abi.def"
  EXPECT_GT(seen.size(), 40u);
  for (const char *name : {"", "tutti_", "tutti_all_reduc", "tutti_all_reduces", "all_reduce",
                           "Tutti_all_reduce", "malloc"})
    EXPECT_EQ(find_entry(name), nullptr) << name;
}

TEST(Status, has_a_name_of_its_own_for_each_number) {
  std::map<std::string, int32_t> seen;
#define STATUS(constant, value, name)                                                              \
  EXPECT_STREQ(tutti_status_name(value), name);                                                    \
  EXPECT_TRUE(seen.emplace(name, value).second) << name;
  TUTTI_FOR_EACH_STATUS(STATUS)
#undef STATUS
  for (int32_t unknown : {-1, 13, INT32_MAX})
    EXPECT_STREQ(tutti_status_name(unknown), "unknown status");
}
