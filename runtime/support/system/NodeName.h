// The name of the node that a kernel computes, as it comes after the kernel's parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_SYSTEM_NODENAME_H
#define TUTTI_RUNTIME_SUPPORT_SYSTEM_NODENAME_H

#include <cstdint>
#include <string>

namespace tutti::runtime {

/// The name in `words`, which include/tutti/abi.def describes: its length, then its bytes.
inline std::string node_name(const int64_t *words) {
  std::string name;
  for (int64_t i = 0; i < words[0]; ++i)
    name += char(uint64_t(words[1 + i / 8]) >> (i % 8 * 8));
  return name;
}

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_SYSTEM_NODENAME_H
