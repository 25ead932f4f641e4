// Names of checkpoints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/folder/Folder.h"
#include "test/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::rundir;

TEST(Folder, reads_the_names_that_it_writes) {
  for (PartName part : {PartName{0, 0, 1}, PartName{300, 0, 1}, PartName{300, 1, 4},
                        PartName{int64_t(1) << 60, 255, 256}, PartName{300, 0, 1, true},
                        PartName{300, 1, 2, true}}) {
    std::optional<PartName> read = PartName::parse(part.text());
    ASSERT_TRUE(read) << part.text();
    EXPECT_EQ(read->step, part.step);
    EXPECT_EQ(read->rank, part.rank);
    EXPECT_EQ(read->ranks, part.ranks);
    EXPECT_EQ(read->is_server, part.is_server);
  }
  EXPECT_EQ(PartName({300, 1, 4}).text(), "step-300.rank-1-of-4.safetensors");
  EXPECT_EQ(PartName({300, 0, 2, true}).text(), "step-300.server-0-of-2.safetensors");
}

TEST(Folder, takes_no_other_name) {
  for (const char *name :
       {"", "step-.safetensors", "step-1", "step-01.safetensors", "step--1.safetensors",
        "step-1.safetensors.part", "astep-1.safetensors", "step-1.rank-0-of-4.safetensors",
        "step-1.rank-4-of-4.safetensors", "step-1.rank-1.safetensors",
        "step-1.rank-1-of-.safetensors", "step-1.server-2-of-2.safetensors",
        "step-1.server-0.safetensors", "step-1.rank-1-of-4.server-0-of-2.safetensors",
        "step-99999999999999999999.safetensors", ".tutti-0123456789abcdef.part"})
    EXPECT_FALSE(PartName::parse(name)) << name;
}

TEST(Folder, lists_parts_by_step) {
  TemporaryFolder files;
  Folder folder(files.path("run"));
  EXPECT_TRUE(folder.parts()->empty()); // there is no folder yet
  ASSERT_FALSE(folder.prepare());
  ASSERT_FALSE(folder.prepare()); // twice is once
  for (const char *name :
       {"step-5.safetensors", "step-5.rank-1-of-2.safetensors", "step-40.safetensors", "notes.txt"})
    std::ofstream(folder.checkpoints() + "/" + name) << "x";
  auto parts = folder.parts();
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->size(), 2u);
  EXPECT_EQ((*parts)[5].size(), 2u);
  EXPECT_EQ((*parts)[40].size(), 1u);
}

TEST(Folder, says_why_it_cannot_be_made) {
  TemporaryFolder files;
  Error error = Folder(files.write("file", "x")).prepare();
  EXPECT_THAT(error.message, testing::HasSubstr("cannot make the folder"));
}
