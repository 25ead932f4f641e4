// The shared library shows exactly the functions of abi.def, and the table finds each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/door/EntryTable.h"
#include "tutti/context.h"

#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace {

const std::set<std::string> stated = {
#define TUTTI_ENTRY(name, spelling, parameters, arguments) #name,
#define TUTTI_QUERY_ENTRY(name, spelling, parameters, arguments) #name,
#define TUTTI_HOST_ENTRY(result, name, parameters, arguments) #name,
#include "tutti/abi.def"
};

/// The version of all symbols that the library defines for others.
#define TUTTI_TEXT_OF(number) #number
#define TUTTI_TEXT(number) TUTTI_TEXT_OF(number)
const std::string version = "TUTTI_" TUTTI_TEXT(TUTTI_ABI_VERSION);

/// Names of these symbols. One of another version keeps it.
std::set<std::string> exported() {
  std::set<std::string> names;
  std::FILE *nm = popen("nm -D --defined-only --format=posix " LIBTUTTI, "r");
  char line[4096];
  while (nm && std::fgets(line, sizeof line, nm)) {
    std::string name(line, std::strcspn(line, " "));
    size_t end = name.find("@@" + version);
    names.insert(name.substr(0, end));
  }
  names.erase(version); // stands there as a symbol, too
  if (nm)
    pclose(nm);
  return names;
}

} // namespace

TEST(Door, the_library_exports_what_abi_def_states_and_nothing_else) {
  EXPECT_EQ(exported(), stated);
}

TEST(Door, every_entry_is_found_by_name) {
  for (const std::string &name : stated)
    EXPECT_NE(tutti::runtime::find_entry(name.c_str()), nullptr) << name;
  EXPECT_EQ(tutti::runtime::find_entry("tutti_absent"), nullptr);
}

TEST(Door, spellings_have_a_letter_for_each_parameter) {
  auto count = [](const char *parameters) {
    int64_t commas = 0;
    for (; *parameters; ++parameters)
      commas += *parameters == ',';
    return commas + 1;
  };
#define TUTTI_ENTRY(name, spelling, parameters, arguments)                                         \
  EXPECT_EQ(int64_t(std::strlen(spelling)), count(#parameters)) << #name;                          \
  EXPECT_EQ(std::string(spelling).find_first_not_of("pli"), std::string::npos) << #name;
#define TUTTI_QUERY_ENTRY TUTTI_ENTRY
#include "tutti/abi.def"
}
