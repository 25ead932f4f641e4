// Which files are taken for an invitation of rank 0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/meeting/Rendezvous.h"
#include "test/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tutti::runtime;
using gloo_backend::read_invitation;
using testing::HasSubstr;

namespace {

/// A file of this user, and what is wrong with it.
class InvitationTest : public testing::Test {
protected:
  InvitationTest() : path(folder.write("run.rendezvous", "words")) {}
  std::string problem() const {
    std::string found, content = read_invitation(path, found);
    EXPECT_EQ(content, found.empty() ? "words" : "");
    return found;
  }

  TemporaryFolder folder;
  std::string path;
};

} // namespace

TEST_F(InvitationTest, is_read_if_its_user_alone_can_have_written_it) {
  chmod(path.c_str(), 0600);
  EXPECT_EQ(problem(), "");
  for (mode_t mode : {0644, 0620, 0606}) {
    chmod(path.c_str(), mode);
    EXPECT_EQ(problem(), "may be read or written by other users") << std::oct << mode;
  }
  chmod(path.c_str(), 0600);
  if (geteuid() == 0) { // nobody else may give files away
    ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
    EXPECT_EQ(problem(), "belongs to user 65534, not to user 0");
  }
}

TEST_F(InvitationTest, is_no_link_and_no_pipe) {
  std::string other = folder.path("other");
  ASSERT_EQ(rename(path.c_str(), other.c_str()), 0);
  std::string found = "before";
  EXPECT_EQ(read_invitation(path, found), "");
  EXPECT_EQ(found, "") << "there is none yet";
  ASSERT_EQ(symlink(other.c_str(), path.c_str()), 0);
  EXPECT_EQ(problem(), "is a link");
  unlink(path.c_str());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0); // whose other end nobody opens
  EXPECT_EQ(problem(), "is no regular file");
  unlink(path.c_str());
  ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
  EXPECT_EQ(problem(), "is no regular file");
}
