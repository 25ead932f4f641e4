// How safetensors spells element types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_CHECKPOINT_TYPENAMES_H
#define TUTTI_RUNTIME_HOST_CHECKPOINT_TYPENAMES_H

#include "runtime/support/Names.h"

#include <cctype>

namespace tutti::runtime::checkpoint {

/// "F32" for f32: the door's spelling in capitals.
inline std::string saved_type_name(int32_t type) {
  std::string name = type_name(type);
  for (char &letter : name)
    letter = char(std::toupper(static_cast<unsigned char>(letter)));
  return name;
}

} // namespace tutti::runtime::checkpoint

#endif // TUTTI_RUNTIME_HOST_CHECKPOINT_TYPENAMES_H
