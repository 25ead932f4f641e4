// Finding functions of the door by name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_DOOR_ENTRYTABLE_H
#define TUTTI_RUNTIME_ENGINE_DOOR_ENTRYTABLE_H

namespace tutti::runtime {

/// The address of the door's function `name`, or null if there is none.
void *find_entry(const char *name);

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_ENGINE_DOOR_ENTRYTABLE_H
