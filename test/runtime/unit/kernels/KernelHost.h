// A context for kernels under test, and numbers to feed them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_RUNTIME_UNIT_KERNELS_KERNELHOST_H
#define TUTTI_TEST_RUNTIME_UNIT_KERNELS_KERNELHOST_H

#include "tutti/kernels.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using Floats = std::vector<float>;
using Parameters = std::vector<int64_t>;

class KernelHost {
public:
  KernelHost() {
    tutti_context_options options = {};
    options.struct_bytes = sizeof options;
    options.backend = tutti_backend_self();
    options.size = 1;
    tutti_context_create(&options, &context);
  }
  ~KernelHost() { tutti_context_destroy(context); }
  KernelHost(const KernelHost &) = delete;

  std::string message() const { return tutti_context_message(context); }
  tutti_context *context = nullptr;
};

/// Small numbers that differ from each other.
inline Floats numbers(int64_t count, float seed) {
  Floats out(count);
  for (int64_t i = 0; i < count; ++i)
    out[i] = std::sin(seed + float(i) * 1.37f);
  return out;
}

inline void expect_close(const Floats &got, const Floats &expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], expected[i], 2e-4 * (1 + std::fabs(expected[i]))) << "at " << i;
}

#endif // TUTTI_TEST_RUNTIME_UNIT_KERNELS_KERNELHOST_H
