// What files of control groups say.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/ControlGroup.h"

#include <gmock/gmock.h>

using namespace tutti::runtime;
using testing::ElementsAre;

TEST(ControlGroup, groups_are_around_each_other) {
  EXPECT_THAT(control_groups_of("0::/a/b.scope\n"),
              ElementsAre("/sys/fs/cgroup/a/b.scope", "/sys/fs/cgroup/a", "/sys/fs/cgroup"));
  EXPECT_THAT(control_groups_of("0::/\n"), ElementsAre("/sys/fs/cgroup"));
  EXPECT_THAT(control_groups_of("12:cpu:/a\n0::/x\n"),
              ElementsAre("/sys/fs/cgroup/x", "/sys/fs/cgroup"));
  EXPECT_THAT(control_groups_of(""), ElementsAre("/sys/fs/cgroup"));
}

TEST(ControlGroup, quotas_are_processors) {
  EXPECT_EQ(parse_processor_quota("150000 100000\n"), 1.5);
  EXPECT_EQ(parse_processor_quota("max 100000\n"), std::nullopt);
  EXPECT_EQ(parse_processor_quota(""), std::nullopt);
  EXPECT_EQ(parse_processor_quota("0 100000"), std::nullopt);
  EXPECT_GE(usable_processors(), 1);
}
