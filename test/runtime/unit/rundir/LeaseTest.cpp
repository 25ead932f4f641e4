// Who has a run directory, and when another may take it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/folder/Lease.h"
#include "runtime/host/rundir/folder/OwnerRecord.h"
#include "test/runtime/Fork.h"
#include "test/runtime/TemporaryFolder.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

using namespace tutti::runtime;
using namespace tutti::runtime::rundir;
using testing::HasSubstr;

namespace {

/// So long that a test which waits for it never ends.
constexpr double never = 1e6;

class OfOneFolder : public testing::Test {
protected:
  OfOneFolder() : folder(files.path("run")) { EXPECT_FALSE(folder.prepare()); }

  void write(const std::string &text) const { files.write("run/owner.json", text); }
  std::string record() const { return TemporaryFolder::read(folder.owner()); }
  auto take(double lease, double grace = never) const {
    return Lease::take(folder, {lease, grace});
  }

  TemporaryFolder files;
  Folder folder;
};

using LeaseOf = OfOneFolder;

/// Of process 4711 on a machine that is none.
OwnerRecord elsewhere(int64_t lease) {
  OwnerRecord record = OwnerRecord::own(lease);
  record.host = "node-of-nowhere";
  ++record.process.where;
  record.process.process = 4711;
  return record;
}

void sleep_a_moment() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

} // namespace

TEST_F(LeaseOf, one_run_at_a_time) {
  auto first = take(never);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_FALSE((*first)->check());
  EXPECT_FALSE(Lease::check(folder, (*first)->number()));
  std::thread ending([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    first->reset();
  });
  auto second = take(never); // waits for the first
  ending.join();
  ASSERT_TRUE(second) << second.error().message;
  std::string refused = take(never, /*grace=*/0.1).error().message;
  EXPECT_THAT(refused, HasSubstr("another run is using '" + folder.path() + "': process " +
                                 std::to_string(getpid()) + " of '"));
  EXPECT_THAT(refused, HasSubstr("wait for it, stop it, or name another folder"));
  second->reset();
  EXPECT_EQ(access(folder.owner().c_str(), F_OK), -1) << "what is given back leaves no record";
}

TEST_F(LeaseOf, the_owner_renews_it) {
  auto lease = take(/*lease=*/0.1);
  ASSERT_TRUE(lease) << lease.error().message;
  std::string first = record();
  while (record() == first)
    sleep_a_moment();
  EXPECT_TRUE(OwnerRecord::are_of_one_lease(first, record()));
  EXPECT_EQ(first.size(), record().size());
}

TEST_F(LeaseOf, a_killed_owner_of_this_machine_is_none) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Fork owner = start_fork([&] {
    auto lease = take(never);
    char is_there = lease ? 'y' : 'n';
    (void)!::write(ends[1], &is_there, 1);
    pause();
    return std::string();
  });
  char is_there = 0;
  ASSERT_EQ(::read(ends[0], &is_there, 1), 1);
  EXPECT_EQ(is_there, 'y');
  kill(owner.pid, SIGKILL);
  EXPECT_EQ(finish_fork(owner), "ended by signal 9");
  EXPECT_THAT(record(), HasSubstr("-" + std::to_string(owner.pid)));
  auto next = take(never);
  EXPECT_TRUE(next) << next.error().message;
}

TEST_F(LeaseOf, the_number_of_a_process_may_be_used_again) {
  OwnerRecord before = OwnerRecord::own(7);
  --before.started;
  write(before.text());
  EXPECT_TRUE(take(never));
  before = OwnerRecord::own(7); // a process that lives
  write(before.text());
  EXPECT_THAT(take(/*lease=*/0.1, /*grace=*/0.5).error().message, HasSubstr("another run"));
}

TEST_F(LeaseOf, one_of_another_machine_that_is_renewed_is_respected) {
  OwnerRecord other = elsewhere(7);
  write(other.text());
  std::atomic<bool> is_over{false};
  std::thread owner([&] {
    for (; !is_over; sleep_a_moment()) {
      ++other.renewals;
      std::ofstream(folder.owner(), std::ios::in) << other.text(); // over what is there
    }
  });
  std::string refused = take(never, /*grace=*/0.5).error().message;
  is_over = true;
  owner.join();
  EXPECT_THAT(refused, HasSubstr("process 4711 of 'node-of-nowhere', since 20"));
  EXPECT_TRUE(OwnerRecord::are_of_one_lease(record(), other.text()));
}

TEST_F(LeaseOf, one_of_another_machine_that_stands_still_ends) {
  for (std::string text : {elsewhere(7).text(), std::string("{\"host\": \"half of a rec"),
                           std::string(), std::string("[]"), std::string(9999, '{')}) {
    write(text);
    auto lease = take(/*lease=*/0.3, /*grace=*/0.1);
    EXPECT_TRUE(lease) << text << ": " << lease.error().message;
  }
}

TEST_F(LeaseOf, who_has_lost_it_hears_so_and_leaves_the_other) {
  auto lost = take(never);
  ASSERT_TRUE(lost) << lost.error().message;
  int64_t number = (*lost)->number();
  std::filesystem::remove(folder.owner());
  EXPECT_THAT((*lost)->check().message, HasSubstr("'owner.json', is gone"));
  EXPECT_FALSE(Lease::check(folder, number));
  std::string other = elsewhere(7).text();
  write(other);
  for (const Error &error : {(*lost)->check(), Lease::check(folder, number)}) {
    EXPECT_THAT(error.message, HasSubstr("another run has taken the folder"));
    EXPECT_THAT(error.message, HasSubstr("process 4711 of 'node-of-nowhere'"));
  }
  lost->reset();
  EXPECT_EQ(record(), other);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST_F(LeaseOf, a_folder_that_cannot_be_used_is_named) {
  std::filesystem::create_directory(folder.owner());
  EXPECT_THAT(take(never).error().message, HasSubstr("cannot read '" + folder.owner()));
}

TEST(LeaseTimes, are_whole_seconds) {
  setenv("TUTTI_LEASE_SECONDS", "2", 1);
  EXPECT_EQ(LeaseTimes::of_environment()->lease, 2);
  setenv("TUTTI_LEASE_SECONDS", "soon", 1);
  EXPECT_THAT(LeaseTimes::of_environment().error().message, HasSubstr("TUTTI_LEASE_SECONDS: "));
  unsetenv("TUTTI_LEASE_SECONDS");
  EXPECT_EQ(LeaseTimes::of_environment()->lease, 30);
}
