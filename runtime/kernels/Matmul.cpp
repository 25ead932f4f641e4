// Matrix products by oneDNN's sgemm, one call a matrix of the batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/Door.h"
#include "runtime/kernels/PrimitiveStore.h"
#include "runtime/support/HalfPrecision.h"
#include "runtime/support/HeldSignals.h"

#include <algorithm>
#include <stdexcept>

using namespace tutti::runtime;
using namespace tutti::runtime::kernels;

namespace {

constexpr int64_t parameter_count = 10;

struct Product {
  explicit Product(const int64_t *p)
      : batch(p[0]), rows(p[1]), columns(p[2]), inner(p[3]), is_a_transposed(p[4] != 0),
        is_b_transposed(p[5] != 0), stride_a(p[6]), stride_b(p[7]),
        alpha(float_from_bits(uint32_t(p[8]))), accumulates(p[9] != 0) {
    if (std::min({batch, rows, columns, inner, stride_a, stride_b}) < 0)
      throw std::invalid_argument("a size is negative");
  }

  void run(const float *a, const float *b, float *c) const {
    HeldSignals held; // the stack may be a block of the heap (docs/runtime.md)
    if (inner == 0) { // an empty sum; sgemm wants leading dimensions of at least 1
      if (!accumulates)
        std::fill_n(c, batch * rows * columns, 0.0f);
      return;
    }
    for (int64_t i = 0; i < batch && rows > 0 && columns > 0; ++i)
      multiply(a + i * stride_a, b + i * stride_b, c + i * rows * columns);
  }

private:
  void multiply(const float *a, const float *b, float *c) const {
    dnnl_status_t status =
        dnnl_sgemm(is_a_transposed ? 'T' : 'N', is_b_transposed ? 'T' : 'N', rows, columns, inner,
                   alpha, a, is_a_transposed ? rows : inner, b, is_b_transposed ? inner : columns,
                   accumulates ? 1.0f : 0.0f, c, columns);
    if (status != dnnl_success)
      throw dnnl::error(status, "oneDNN refused the matrix product");
  }

  int64_t batch, rows, columns, inner;
  bool is_a_transposed, is_b_transposed;
  int64_t stride_a, stride_b;
  float alpha;
  bool accumulates;
};

} // namespace

void door::tutti_matmul(tutti_context *context, void *const *buffers, const int64_t *parameters) {
  run_kernel(context, "tutti_matmul", parameters, parameter_count, [&] {
    Product(parameters)
        .run(static_cast<const float *>(buffers[0]), static_cast<const float *>(buffers[1]),
             static_cast<float *>(buffers[2]));
  });
}
