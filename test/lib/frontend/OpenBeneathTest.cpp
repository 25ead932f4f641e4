// Files below a folder, opened in both ways.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/OpenBeneath.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = llvm::sys::fs;

namespace {

using Open = int (*)(int, llvm::StringRef);

/// outer/secret, outer/folder/file, outer/folder/below/file and links between them.
class OpenBeneath : public testing::TestWithParam<Open> {
protected:
  void SetUp() override {
    llvm::SmallString<64> unique;
    fs::createUniqueDirectory("tutti-beneath", unique);
    outer = unique.str().str();
    mkdir((outer + "/folder").c_str(), 0700);
    mkdir((outer + "/folder/below").c_str(), 0700);
    for (const char *name : {"/secret", "/folder/file", "/folder/below/file"})
      close(creat((outer + name).c_str(), 0600));
    symlink("../secret", (outer + "/folder/out").c_str());
    symlink("..", (outer + "/folder/up").c_str());
    symlink((outer + "/secret").c_str(), (outer + "/folder/absolute").c_str());
    symlink("below/file", (outer + "/folder/in").c_str());
    mkfifo((outer + "/folder/pipe").c_str(), 0600);
    folder = open((outer + "/folder").c_str(), O_PATH | O_DIRECTORY);
  }
  void TearDown() override {
    close(folder);
    fs::remove_directories(outer);
  }

  /// 0, or why the file is not opened.
  int reason(llvm::StringRef name) {
    int file = GetParam()(folder, name);
    if (file < 0)
      return errno;
    close(file);
    return 0;
  }

  std::string outer;
  int folder = -1;
};

TEST_P(OpenBeneath, OpensWhatIsBelow) {
  EXPECT_EQ(reason("file"), 0);
  EXPECT_EQ(reason("below/file"), 0);
  EXPECT_EQ(reason("./below/./file"), 0);
  EXPECT_EQ(reason("pipe"), 0) << "without waiting for a writer; what it is, the caller asks";
}

TEST_P(OpenBeneath, NeverLeavesTheFolder) {
  for (const char *name : {"../secret", "below/../../secret", "up/secret", "out", "absolute"}) {
    int why = reason(name);
    EXPECT_TRUE(why == EXDEV || why == ELOOP || why == ENOTDIR) << name << ": " << why;
  }
}

TEST_P(OpenBeneath, SaysWhatIsNotThere) {
  EXPECT_EQ(reason("nothing"), ENOENT);
  EXPECT_EQ(reason("file/below"), ENOTDIR);
}

INSTANTIATE_TEST_SUITE_P(Ways, OpenBeneath,
                         testing::Values(tutti::frontend::openBeneath,
                                         tutti::frontend::openEachPart));

TEST(OpenBeneathLinks, ThoseThatStayBelowAreFollowed) {
  llvm::SmallString<64> unique;
  fs::createUniqueDirectory("tutti-beneath", unique);
  std::string outer = unique.str().str();
  close(creat((outer + "/file").c_str(), 0600));
  symlink("file", (outer + "/link").c_str());
  int folder = open(outer.c_str(), O_PATH | O_DIRECTORY);
  int file = tutti::frontend::openBeneath(folder, "link");
  EXPECT_TRUE(file >= 0 || errno == ELOOP) << "ELOOP: an old kernel";
  close(file);
  close(folder);
  fs::remove_directories(outer);
}

} // namespace
