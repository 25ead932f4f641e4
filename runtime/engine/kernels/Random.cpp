// Normal and uniform random tensors, equal on every rank or drawn for its samples: two elements
// from each block of the node's random stream.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Door.h"
#include "runtime/engine/kernels/PrimitiveStore.h"
#include "runtime/engine/kernels/SampleDraws.h"
#include "runtime/support/Philox.h"

#include <cmath>
#include <cstring>
#include <stdexcept>

using namespace tutti::runtime;
using namespace tutti::runtime::kernels;

namespace {

constexpr int64_t parameter_count = 10;

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

  /// Elements whose first has the place `index`.
  template <typename T>
  void fill(const RandomStream &stream, int64_t index, T *out, int64_t count) const {
    for (int64_t i = -(index % 2); i < count; i += 2) {
      auto drawn = draw(stream.block(uint64_t(index + i) / 2));
      for (int64_t half = i < 0; half < 2 && i + half < count; ++half)
        out[i + half] = narrow<T>(drawn[size_t(half)]);
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
    Part part = Part::read(buffers[0], p[9]);
    void *output = buffers[part.parts > 1];
    auto fill = [&](auto *out) {
      for_each_run(*context, p[0], p[8], part, [&](int64_t index, int64_t begin, int64_t count) {
        distribution.fill(stream, index, out + begin, count);
      });
    };
    if (p[1] == TUTTI_F32)
      return fill(static_cast<float *>(output));
    if (p[1] == TUTTI_F64)
      return fill(static_cast<double *>(output));
    throw std::invalid_argument("the element type is neither f32 nor f64");
  });
}
