// The barrier that a program asks for. Steps: 1 barrier of the team, see Team.cpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/shm/Exposure.h"

namespace tutti::runtime::shm {

int32_t barrier(Team &team, tutti_context *context, const tutti_call &call) {
  return team.meet(context, subject_of(call, 0));
}

} // namespace tutti::runtime::shm
