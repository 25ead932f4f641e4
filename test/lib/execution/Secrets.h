// Files of secrets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_LIB_EXECUTION_SECRETS_H
#define TUTTI_TEST_LIB_EXECUTION_SECRETS_H

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

/// A file that its owner alone may read.
inline std::string writeSecret(const std::string &name, const std::string &text) {
  std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path) << text;
  std::filesystem::permissions(path, std::filesystem::perms::owner_read |
                                         std::filesystem::perms::owner_write);
  return path;
}

#endif // TUTTI_TEST_LIB_EXECUTION_SECRETS_H
