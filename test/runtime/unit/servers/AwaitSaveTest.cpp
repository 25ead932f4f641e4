// Waiting for the parts that servers write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RemoteParts.h"

#include <deque>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace tutti::runtime;
using namespace tutti::runtime::servers;
using testing::HasSubstr;

namespace {

/// Tells one progress after the other, and the last again and again.
class Told final : public PartKeeper {
public:
  explicit Told(std::deque<Result<SaveProgress>> progress) : progress(std::move(progress)) {}

  Result<std::vector<int64_t>> hold() override { return std::vector<int64_t>(); }
  Error begin_save(int64_t, const std::string &, const std::vector<int64_t> &) override {
    return Error::success();
  }
  Result<SaveProgress> follow_save(int64_t, double) override {
    usleep(20000);
    Result<SaveProgress> next = progress.front();
    if (progress.size() > 1)
      progress.pop_front();
    return next;
  }
  Error load(int64_t) override { return Error::success(); }

private:
  std::deque<Result<SaveProgress>> progress;
};

SaveProgress written(int64_t rows, bool is_done = false) { return {is_done, rows, "server 1"}; }

} // namespace

TEST(AwaitSave, lasts_as_long_as_rows_are_written) {
  std::deque<Result<SaveProgress>> progress;
  for (int64_t rows = 0; rows < 20; ++rows) // longer than the limit, all together
    progress.push_back(written(rows));
  progress.push_back(written(20, /*is_done=*/true));
  Told told(progress);
  EXPECT_FALSE(await_save(told, 30, /*warning=*/0.1, /*limit=*/0.2));
}

TEST(AwaitSave, names_whom_it_waited_for_in_vain) {
  Told told({written(5), written(7)});
  testing::internal::CaptureStderr();
  Error error = await_save(told, 30, /*warning=*/0.05, /*limit=*/0.2);
  EXPECT_EQ(error.status, TUTTI_STALLED);
  EXPECT_THAT(error.message, HasSubstr("the checkpoint of step 30: waited"));
  EXPECT_THAT(error.message, HasSubstr("for the part of server 1, of which nothing was written"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("tutti: warning: the checkpoint"));
}

TEST(AwaitSave, ends_with_what_kept_a_server_from_it) {
  Told told({written(5), Error::make(TUTTI_SYSTEM_ERROR, "server 1: the disk is full")});
  EXPECT_EQ(await_save(told, 30, 1, 10).message, "server 1: the disk is full");
}
