// Making .npy files, right and wrong ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_RUNTIME_NPYBYTES_H
#define TUTTI_TEST_RUNTIME_NPYBYTES_H

#include <string>
#include <vector>

/// A version 1 file with the given dictionary and data.
inline std::string npy_with_header(const std::string &dictionary, const std::string &data) {
  std::string header = dictionary + "\n";
  std::string out = "\x93NUMPY";
  out += '\x01';
  out += '\x00';
  out += char(header.size() & 0xff);
  out += char(header.size() >> 8);
  return out + header + data;
}

inline std::string npy(const std::string &descr, const std::string &shape,
                       const std::string &data) {
  return npy_with_header(
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }", data);
}

template <typename T> std::string bytes_of(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)};
}

#endif // TUTTI_TEST_RUNTIME_NPYBYTES_H
