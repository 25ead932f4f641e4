// The door's version, and the spellings of its numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/Names.h"

#include "runtime/engine/core/Door.h"
#include "tutti/context.h"

using namespace tutti::runtime;

int32_t door::tutti_abi_version(void) { return TUTTI_ABI_VERSION; }

const char *door::tutti_type_name(int32_t type) { return type_name(type); }

int64_t door::tutti_type_bytes(int32_t type) { return type_bytes(type); }

const char *door::tutti_status_name(int32_t status) {
  switch (status) {
#define STATUS(constant, value, name)                                                              \
  case constant:                                                                                   \
    return name;
    TUTTI_FOR_EACH_STATUS(STATUS)
#undef STATUS
  }
  return "unknown status";
}
