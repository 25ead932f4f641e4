// How large a compressed array may become.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_INFLATION_H
#define TUTTI_RUNTIME_HOST_DATA_INFLATION_H

#include "runtime/support/Error.h"

#include <cstdint>

namespace tutti::runtime::data {

/// Bytes of memory that this process can still take: what the machine has free, or what its control
/// group leaves, if that is less. A number that no machine has where the system does not tell.
uint64_t available_memory();

/// Why `compressed` bytes shall not be inflated to `inflated` ones while `available` are free:
/// there is no room for them, or they are many and so alike that the file was made to be large. To
/// be asked before memory is taken.
Error check_inflation(uint64_t compressed, uint64_t inflated, uint64_t available);

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_INFLATION_H
