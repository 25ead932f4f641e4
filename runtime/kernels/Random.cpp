// Normal and uniform random tensors, equal on every rank: two elements from each block of the
// node's random stream.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/Door.h"
#include "runtime/kernels/PrimitiveStore.h"
#include "runtime/support/Philox.h"

#include <cmath>
#include <cstring>
#include <stdexcept>

using namespace tutti::runtime;
using namespace tutti::runtime::kernels;

namespace {

constexpr int64_t parameter_count = 8;

double double_from_bits(int64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// In [0, 1), 53 random bits.
double unit(uint32_t high, uint32_t low) {
  return double((uint64_t(high) << 32 | low) >> 11) * 0x1p-53;
}

struct Distribution {
  bool is_normal;
  double a, b;

  /// Two values from one block.
  std::array<double, 2> draw(const Words &words) const {
    double u = unit(words[0], words[1]), v = unit(words[2], words[3]);
    if (!is_normal)
      return {a + (b - a) * u, a + (b - a) * v};
    // Box and Muller 1958; 1 - u is never zero.
    double radius = std::sqrt(-2 * std::log(1 - u)), angle = 2 * 3.14159265358979323846 * v;
    return {a + b * radius * std::cos(angle), a + b * radius * std::sin(angle)};
  }

  /// Rounding must not reach the open end of a uniform range.
  template <typename T> T narrow(double value) const {
    T narrowed = T(value);
    return !is_normal && a < b && narrowed >= T(b) ? std::nextafter(T(b), T(a)) : narrowed;
  }

  template <typename T> void fill(const RandomStream &stream, T *out, int64_t elements) const {
    for (int64_t i = 0; i < elements; i += 2) {
      auto [first, second] = draw(stream.block(uint64_t(i) / 2));
      out[i] = narrow<T>(first);
      if (i + 1 < elements)
        out[i + 1] = narrow<T>(second);
    }
  }
};

} // namespace

void door::tutti_random(tutti_context *context, void *const *buffers, const int64_t *parameters) {
  run_kernel(context, "tutti_random", parameters, parameter_count, [&] {
    const int64_t *p = parameters;
    if (p[2] != 0 && p[2] != 1)
      throw std::invalid_argument("the kind is neither 0 (normal) nor 1 (uniform)");
    Distribution distribution = {p[2] == 0, double_from_bits(p[3]), double_from_bits(p[4])};
    RandomStream stream = {context->seed, context->step, p[7]};
    if (p[5] != 0)
      stream = {uint64_t(p[6]), 0, p[7]};
    if (p[1] == TUTTI_F32)
      return distribution.fill(stream, static_cast<float *>(buffers[0]), p[0]);
    if (p[1] == TUTTI_F64)
      return distribution.fill(stream, static_cast<double *>(buffers[0]), p[0]);
    throw std::invalid_argument("the element type is neither f32 nor f64");
  });
}
