// Whether paths lead to one file, however they are spelled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_OUTPUT_SAMEFILE_H
#define TUTTI_RUNTIME_OUTPUT_SAMEFILE_H

#include "runtime/support/Error.h"

#include <string>
#include <vector>

namespace tutti::runtime::output {

/// A path of the command line. Empty paths are skipped everywhere.
struct NamedPath {
  std::string flag; ///< "--save"
  std::string path;
};

/// Whether every one of `outputs` can be written, and none is another of them or one of `inputs`,
/// or lies as a file in a folder of them. Files are compared by device and inode.
Error check_outputs(const std::vector<NamedPath> &outputs, const std::vector<NamedPath> &inputs);

} // namespace tutti::runtime::output

#endif // TUTTI_RUNTIME_OUTPUT_SAMEFILE_H
