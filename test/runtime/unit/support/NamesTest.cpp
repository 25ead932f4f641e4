// Spellings of the door's numbers, and the names of memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/Names.h"
#include "runtime/support/system/NamedMemory.h"

#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <vector>

using namespace tutti::runtime;

TEST(Names, of_types_are_read_as_they_are_written) {
  std::set<std::string> seen;
  for (int32_t type : {TUTTI_F16, TUTTI_BF16, TUTTI_F32, TUTTI_F64, TUTTI_I8, TUTTI_U8, TUTTI_I16,
                       TUTTI_I32, TUTTI_I64, TUTTI_BOOL}) {
    EXPECT_EQ(type_from_name(type_name(type)), type);
    EXPECT_GT(type_bytes(type), 0) << type_name(type);
    EXPECT_TRUE(seen.insert(type_name(type)).second) << type_name(type) << " twice";
  }
  EXPECT_EQ(type_bytes(TUTTI_BF16), 2);
  EXPECT_EQ(type_bytes(TUTTI_F64), 8);
}

TEST(Names, of_unknown_numbers_say_so) {
  for (int32_t number : {-1, 1000, INT32_MAX}) {
    EXPECT_EQ(type_bytes(number), 0);
    EXPECT_STREQ(type_name(number), "unknown type");
    EXPECT_STREQ(reduction_name(number), "unknown reduction");
    EXPECT_STREQ(call_name(number), "unknown call");
  }
  for (const char *name : {"", "f3", "f322", "F32", " f32"})
    EXPECT_FALSE(type_from_name(name)) << name;
  EXPECT_FALSE(shard_from_name("any"));
}

TEST(Names, tell_which_calls_reduce) {
  EXPECT_TRUE(is_reduction(TUTTI_ALL_REDUCE));
  EXPECT_TRUE(is_reduction(TUTTI_REDUCE_SCATTER));
  EXPECT_FALSE(is_reduction(TUTTI_ALL_GATHER));
  EXPECT_STREQ(call_name(TUTTI_ALL_REDUCE), "all_reduce");
  EXPECT_STREQ(reduction_name(TUTTI_SUM), "sum");
}

TEST(NamedMemory, has_its_name_from_its_first_byte_to_its_last_while_it_lives) {
  std::vector<char> memory(100);
  {
    NamedMemory named(memory.data() + 10, 80, "the middle");
    EXPECT_EQ(memory_name(memory.data() + 9), nullptr);
    EXPECT_STREQ(memory_name(memory.data() + 10), "the middle");
    EXPECT_STREQ(memory_name(memory.data() + 89), "the middle");
    EXPECT_EQ(memory_name(memory.data() + 90), nullptr);
  }
  EXPECT_EQ(memory_name(memory.data() + 50), nullptr);
}

TEST(NamedMemory, cuts_names_that_are_too_long) {
  char memory = 0;
  NamedMemory named(&memory, 1, std::string(5000, 'n'));
  EXPECT_EQ(std::string(memory_name(&memory)), std::string(511, 'n'));
}

TEST(NamedMemory, of_very_many_pieces_names_some_and_gives_places_back) {
  std::vector<char> memory(1000);
  for (int turn = 0; turn < 2; ++turn) {
    std::vector<std::unique_ptr<NamedMemory>> names;
    for (char &byte : memory)
      names.push_back(std::make_unique<NamedMemory>(&byte, 1, "a byte"));
    size_t named = 0;
    for (const char &byte : memory)
      named += memory_name(&byte) != nullptr;
    EXPECT_GT(named, 100u) << "turn " << turn;
    EXPECT_LT(named, memory.size());
  }
  EXPECT_EQ(memory_name(memory.data()), nullptr);
}
