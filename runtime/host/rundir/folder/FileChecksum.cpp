// A sum over the sums of the parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/folder/FileChecksum.h"

#include <cstdio>

namespace tutti::runtime::rundir {

FileChecksum::FileChecksum(const Metadata &metadata) {
  Crc32c sum;
  for (const auto &[key, value] : metadata) {
    if (key == checksum_key)
      continue;
    // With their terminating zeros, so that no letter can move from one text to the next.
    sum.add(key.c_str(), key.size() + 1);
    sum.add(value.c_str(), value.size() + 1);
  }
  metadata_sum = sum.value();
}

void FileChecksum::add(const std::string &name, const std::string &type,
                       const std::vector<int64_t> &shape, std::string_view data) {
  begin(name, type, shape);
  more(data);
}

void FileChecksum::begin(const std::string &name, const std::string &type,
                         const std::vector<int64_t> &shape) {
  tensor_sum += has_open ? open.value() : 0;
  has_open = true;
  open = {};
  open.add(name.c_str(), name.size() + 1);
  open.add(type.c_str(), type.size() + 1);
  open.add(shape.data(), shape.size() * sizeof(int64_t));
}

std::string FileChecksum::text() const {
  char digits[32];
  std::snprintf(digits, sizeof digits, "crc32c:%08x%08x", metadata_sum,
                tensor_sum + (has_open ? open.value() : 0));
  return digits;
}

} // namespace tutti::runtime::rundir
