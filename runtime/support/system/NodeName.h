// The name of the node that a kernel computes, as it comes after the kernel's parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_SYSTEM_NODENAME_H
#define TUTTI_RUNTIME_SUPPORT_SYSTEM_NODENAME_H

#include <cstdint>
#include <string>

namespace tutti::runtime {

/// A node's name, and which part of it is computed: "backward, weights"; empty: what the model
/// says.
struct NodePart {
  std::string name, part;
};

/// The name in `words`, which include/tutti/abi.def describes: its length, then its bytes.
inline NodePart node_part(const int64_t *words) {
  constexpr char between = '\x1f';
  NodePart node;
  bool is_name = true;
  for (int64_t i = 0; i < words[0]; ++i) {
    char letter = char(uint64_t(words[1 + i / 8]) >> (i % 8 * 8));
    if (is_name && letter == between)
      is_name = false;
    else
      (is_name ? node.name : node.part) += letter;
  }
  return node;
}

inline std::string node_name(const int64_t *words) { return node_part(words).name; }

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_SYSTEM_NODENAME_H
