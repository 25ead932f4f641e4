// A started call, in the room of another that was done.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/CommunicationThread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using testing::ElementsAreArray;

TEST(StartedCall, has_what_was_given_and_nothing_of_the_call_before) {
  int32_t value = 5;
  const void *source = &value;
  void *destination = &value;
  int64_t elements = 1, counts[] = {3, 4};
  tutti_call first = {}, second = {};
  first.kind = TUTTI_ALL_TO_ALL_V;
  first.count = second.count = 1;
  first.sources = &source;
  first.destinations = second.destinations = &destination;
  first.elements = second.elements = &elements;
  first.send_counts = first.send_displacements = counts;
  first.receive_counts = first.receive_displacements = counts;
  second.kind = TUTTI_RECV;

  StartedCall started;
  started.keep(first, 2);
  tutti_call call = started.call();
  EXPECT_EQ(call.sources[0], &value);
  for (const int64_t *layout :
       {call.send_counts, call.send_displacements, call.receive_counts, call.receive_displacements})
    EXPECT_THAT(std::vector<int64_t>(layout, layout + 2), ElementsAreArray(counts));
  started.keep(second, 2);
  call = started.call();
  EXPECT_EQ(call.kind, TUTTI_RECV);
  EXPECT_EQ(call.destinations[0], &value);
  EXPECT_EQ(call.elements[0], 1);
  EXPECT_EQ(call.sources, nullptr);
  for (const int64_t *layout :
       {call.send_counts, call.send_displacements, call.receive_counts, call.receive_displacements})
    EXPECT_EQ(layout, nullptr);
}
