// What a path stands for, before anything is written there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/output/Place.h"
#include "test/runtime/TemporaryFolder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace tutti::runtime;
using namespace tutti::runtime::output;
using testing::HasSubstr;

namespace {

class PlaceTest : public testing::Test {
protected:
  /// The place after `path`, which can be written.
  static Place find(const std::string &path) {
    Result<Place> place = Place::find(path);
    EXPECT_TRUE(place) << path << ": " << place.error().message;
    return place ? std::move(*place) : Place();
  }
  static std::string refusal(const std::string &path) { return Place::find(path).error().message; }

  std::string link(const std::string &name, const std::string &target) {
    EXPECT_EQ(symlink(target.c_str(), folder.path(name).c_str()), 0);
    return folder.path(name);
  }

  TemporaryFolder folder;
};

} // namespace

TEST_F(PlaceTest, of_a_file_is_its_folder_and_name) {
  Place absent = find(folder.path("new"));
  EXPECT_EQ(absent.kind, PlaceKind::file);
  EXPECT_FALSE(absent.exists);
  EXPECT_EQ(absent.name, "new");
  Place present = find(folder.write("old", "12345"));
  EXPECT_TRUE(present.exists);
  EXPECT_EQ(present.status.st_size, 5);
  struct stat own = {}, named = {};
  ASSERT_EQ(fstat(present.folder.get(), &own), 0);
  ASSERT_EQ(stat(folder.path("").c_str(), &named), 0);
  EXPECT_EQ(own.st_ino, named.st_ino);
}

TEST_F(PlaceTest, of_a_link_is_where_it_leads) {
  folder.write("target", "");
  link("near", "target");
  std::string far = link("far", folder.path("near"));
  EXPECT_EQ(find(far).name, "target");
  EXPECT_EQ(find(far).kind, PlaceKind::file);
}

TEST_F(PlaceTest, of_links_that_lead_nowhere_is_refused) {
  EXPECT_THAT(refusal(link("dangling", "absent")), HasSubstr("which does not exist"));
  link("a", "b");
  EXPECT_THAT(refusal(link("b", "a")), HasSubstr("Too many levels of symbolic links"));
}

TEST_F(PlaceTest, of_devices_and_pipes_is_themselves) {
  EXPECT_EQ(find("/dev/null").kind, PlaceKind::device);
  EXPECT_EQ(find(link("null", "/dev/null")).kind, PlaceKind::device);
  std::string pipe = folder.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(find(pipe).kind, PlaceKind::named_pipe);
}

TEST_F(PlaceTest, of_own_descriptors_is_the_descriptor) {
  EXPECT_EQ(find("-").descriptor, STDOUT_FILENO);
  EXPECT_EQ(find("/dev/stderr").descriptor, STDERR_FILENO);
  int file = open(folder.path("x").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(file, 0);
  Place place = find("/dev/fd/" + std::to_string(file));
  EXPECT_EQ(place.descriptor, file);
  EXPECT_EQ(place.kind, PlaceKind::device) << "written as it is, not replaced";
  close(file);
  int read_only = open(folder.path("x").c_str(), O_RDONLY);
  EXPECT_THAT(refusal("/dev/fd/" + std::to_string(read_only)), HasSubstr("Bad file descriptor"));
  close(read_only);
}

TEST_F(PlaceTest, that_cannot_be_is_refused_by_name) {
  EXPECT_THAT(refusal(""), HasSubstr("the path is empty"));
  EXPECT_THAT(refusal(folder.path("no/such")), HasSubstr("there is no folder '"));
  EXPECT_THAT(refusal(folder.path("")), HasSubstr("cannot write '"));
  EXPECT_THAT(refusal("/"), HasSubstr("Is a directory"));
}

TEST(OutputDescriptor, is_closed_once_by_its_last_owner) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    Descriptor first(ends[0]);
    Descriptor second(std::move(first));
    EXPECT_EQ(second.get(), ends[0]);
    EXPECT_GE(fcntl(ends[0], F_GETFD), 0);
  }
  EXPECT_LT(fcntl(ends[0], F_GETFD), 0);
  EXPECT_EQ(Descriptor(ends[1]).release(), ends[1]);
  EXPECT_GE(fcntl(ends[1], F_GETFD), 0) << "given away";
  close(ends[1]);
}
