// Matrix products: f32 by oneDNN's sgemm, one call a matrix of the batch; bf16 by its matmul
// primitive; f64 by Eigen.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Door.h"
#include "runtime/engine/kernels/PrimitiveStore.h"
#include "runtime/support/HalfPrecision.h"
#include "runtime/support/system/HeldSignals.h"

#include <Eigen/Core>
#include <algorithm>
#include <stdexcept>

using namespace tutti::runtime;
using namespace tutti::runtime::kernels;

namespace {

constexpr int64_t parameter_count = 11;

struct Product {
  explicit Product(const int64_t *p)
      : batch(p[0]), rows(p[1]), columns(p[2]), inner(p[3]), is_a_transposed(p[4] != 0),
        is_b_transposed(p[5] != 0), stride_a(p[6]), stride_b(p[7]),
        alpha(float_from_bits(uint32_t(p[8]))), accumulates(p[9] != 0), type(p[10]) {
    if (std::min({batch, rows, columns, inner, stride_a, stride_b}) < 0)
      throw std::invalid_argument("a size is negative");
  }

  bool is_empty() const { return batch == 0 || rows == 0 || columns == 0; }

  void run(const float *a, const float *b, float *c) const {
    HeldSignals held; // the stack may be a block of the heap (docs/runtime.md)
    if (inner == 0)   // an empty sum; sgemm wants leading dimensions of at least 1
      return fill_without_terms(c);
    for (int64_t i = 0; i < batch && !is_empty(); ++i)
      multiply(a + i * stride_a, b + i * stride_b, c + i * rows * columns);
  }

  void run(const double *a, const double *b, double *c) const {
    for (int64_t i = 0; i < batch; ++i) {
      Target to(c + i * rows * columns, rows, columns);
      if (!accumulates)
        to.setZero();
      to.noalias() += double(alpha) * left(a + i * stride_a) * right(b + i * stride_b);
    }
  }

  void run(PrimitiveStore &store, const int64_t *parameters, void *const *buffers) const {
    if (accumulates)
      throw std::invalid_argument("products of bf16 are not accumulated: their sums are rounded");
    if (inner == 0)
      return fill_without_terms(static_cast<uint16_t *>(buffers[2]));
    if (is_empty())
      return;
    store
        .find<PreparedCall>(StoredKind::matmul, parameters, parameter_count,
                            [&] { return prepare(store.engine); })
        .run(store.stream, store.scratch, buffers);
  }

  int64_t type_of_elements() const { return type; }

private:
  template <typename T>
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Target = Eigen::Map<Matrix<double>>;
  /// A matrix as it lies in memory, or its transpose.
  using Strided =
      Eigen::Map<const Matrix<double>, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;
  Strided left(const double *a) const {
    return is_a_transposed ? Strided(a, rows, inner, {1, rows})
                           : Strided(a, rows, inner, {inner, 1});
  }
  Strided right(const double *b) const {
    return is_b_transposed ? Strided(b, inner, columns, {1, inner})
                           : Strided(b, inner, columns, {columns, 1});
  }

  /// Zero has the same bits in every type.
  template <typename T> void fill_without_terms(T *c) const {
    if (!accumulates)
      std::fill_n(c, batch * rows * columns, T());
  }

  /// The batch of a side of which all share one matrix is 1.
  PreparedCall *prepare(const dnnl::engine &engine) const {
    using Desc = dnnl::memory::desc;
    auto side = [&](int64_t stride, int64_t height, int64_t width, bool is_transposed,
                    dnnl::memory::data_type element) {
      return Desc({stride == 0 ? 1 : batch, height, width}, element,
                  is_transposed ? dnnl::memory::dims{std::max<int64_t>(stride, 1), 1, height}
                                : dnnl::memory::dims{std::max<int64_t>(stride, 1), width, 1});
    };
    auto describe = [&](dnnl::memory::data_type element) {
      dnnl::primitive_attr attributes;
      attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
      if (alpha != 1)
        attributes.set_output_scales(0, {alpha});
      dnnl::matmul::desc wanted(side(stride_a, rows, inner, is_a_transposed, element),
                                side(stride_b, inner, columns, is_b_transposed, element),
                                side(rows * columns, rows, columns, false, element));
      return dnnl::matmul::primitive_desc(wanted, attributes, engine);
    };
    auto given = dnnl::memory::data_type::bf16;
    auto desc = make_for(given, describe);
    auto call = std::make_unique<PreparedCall>(engine);
    call->add_input(DNNL_ARG_SRC, 0, side(stride_a, rows, inner, is_a_transposed, given),
                    desc.src_desc());
    call->add_input(DNNL_ARG_WEIGHTS, 1, side(stride_b, inner, columns, is_b_transposed, given),
                    desc.weights_desc());
    call->add_output(DNNL_ARG_DST, 2, side(rows * columns, rows, columns, false, given),
                     desc.dst_desc());
    call->add_internal(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc());
    call->set_primitive(dnnl::matmul(desc));
    return call.release();
  }

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
  int64_t type;
};

template <typename T> void run_as(const Product &product, void *const *buffers) {
  product.run(static_cast<const T *>(buffers[0]), static_cast<const T *>(buffers[1]),
              static_cast<T *>(buffers[2]));
}

} // namespace

void door::tutti_matmul(tutti_context *context, void *const *buffers, const int64_t *parameters) {
  run_kernel(context, "tutti_matmul", parameters, parameter_count, [&] {
    Product product(parameters);
    switch (product.type_of_elements()) {
    case TUTTI_F32:
      return run_as<float>(product, buffers);
    case TUTTI_F64:
      return run_as<double>(product, buffers);
    case TUTTI_BF16:
      return product.run(PrimitiveStore::of(context), parameters, buffers);
    }
    throw std::invalid_argument("the type is none of f32, f64 and bf16");
  });
}
