// What comes after each function of the door. An implementation may throw; the function of the
// same name that others call catches it (runtime/engine/door/Entries.cpp).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_CORE_DOOR_H
#define TUTTI_RUNTIME_ENGINE_CORE_DOOR_H

#include "tutti/collectives.h"
#include "tutti/kernels.h"

#include <string>

namespace tutti::runtime::door {

#define TUTTI_ENTRY(name, spelling, parameters, arguments) void name parameters;
#define TUTTI_QUERY_ENTRY(name, spelling, parameters, arguments) int64_t name parameters;
#define TUTTI_HOST_ENTRY(result, name, parameters, arguments) result name parameters;
#include "tutti/abi.def"

/// Makes `message` what tutti_meeting_message returns.
void set_message(tutti_meeting *meeting, const std::string &message);

} // namespace tutti::runtime::door

#endif // TUTTI_RUNTIME_ENGINE_CORE_DOOR_H
