// How files are read that do not say it themselves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_DATA_READOPTIONS_H
#define TUTTI_RUNTIME_DATA_READOPTIONS_H

#include <cstdint>
#include <string>

namespace tutti::runtime::data {

/// The keys of --read. All files of a run are read by the same.
struct ReadOptions {
  std::string tokens = "u16"; ///< type of the numbers in a file of tokens: u16 or u32
  int64_t length = 0;         ///< tokens of a sample; 0: nobody has said
};

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_DATA_READOPTIONS_H
