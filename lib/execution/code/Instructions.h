// The instructions that compiled code may use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_CODE_INSTRUCTIONS_H
#define TUTTI_LIB_EXECUTION_CODE_INSTRUCTIONS_H

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tutti::execution {

/// Sums round otherwise where instructions differ, so ranks with equal variables need equal ones.
struct Instructions {
  std::string processor; ///< as LLVM calls it
  std::string features;  ///< "+avx2,-sse4a", beside what the processor's name says

  /// "native", all that this processor has, or a level of the x86-64 psABI, "x86-64-v3" or
  /// "x86-64-v4", which processors of many kinds share. An error if this one does not have them.
  static llvm::Expected<Instructions> find(llvm::StringRef name);

  /// Equal texts for equal instructions, as a person reads it: "x86-64-v3", or "native of znver3
  /// (1f0c93aa)".
  std::string describe() const;
};

/// Settings NAME=VALUE of the environment with which kernels (oneDNN) use no instructions but those
/// of the name `instructions`, as Instructions::find takes it. None where they may use all, or
/// where the environment of this process says which already.
std::vector<std::string> kernelSettings(llvm::StringRef instructions);

} // namespace tutti::execution

#endif // TUTTI_LIB_EXECUTION_CODE_INSTRUCTIONS_H
