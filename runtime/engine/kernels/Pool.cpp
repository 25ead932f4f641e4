// Max and average pooling and their gradients by oneDNN. The gradient of max pooling finds the
// maxima again, because the compiled program keeps the input and not oneDNN's private workspace.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Door.h"
#include "runtime/engine/kernels/DoubleWindows.h"
#include "runtime/engine/kernels/PrimitiveStore.h"

#include <stdexcept>

using namespace tutti::runtime;
using namespace tutti::runtime::kernels;

namespace {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;
using DataType = dnnl::memory::data_type;
using Forward = dnnl::pooling_v2_forward;
using Backward = dnnl::pooling_v2_backward;

/// The parameters of tutti_pool, checked and named.
struct Shape {
  explicit Shape(const int64_t *p) : rank(p[0]) {
    if (rank < 1 || rank > 3)
      throw std::invalid_argument("needs 1, 2 or 3 spatial dims");
    if (p[3] < 0 || p[3] > 2)
      throw std::invalid_argument("the kind is not 0, 1 or 2");
    constexpr dnnl::algorithm kinds[] = {dnnl::algorithm::pooling_max,
                                         dnnl::algorithm::pooling_avg_exclude_padding,
                                         dnnl::algorithm::pooling_avg_include_padding};
    algorithm = kinds[p[3]];
    kind = p[3];
    const int64_t *at = p + 4;
    for (Dims *dims : {&in, &kernel, &strides, &pads_begin, &pads_end, &dilations, &out}) {
      dims->assign(at, at + rank);
      at += rank;
    }
    for (Dims *dims : {&in, &out})
      dims->insert(dims->begin(), {p[1], p[2]});
    for (int64_t &dilation : dilations)
      --dilation; // oneDNN counts the holes
    element = *at;
  }

  static int64_t count(const int64_t *p) { return 4 + (p[0] >= 1 && p[0] <= 3 ? 7 * p[0] + 1 : 0); }
  static int64_t element_of(const int64_t *p) { return p[count(p) - 1]; }

  /// Row-major.
  Desc desc(const Dims &dims, DataType type) const {
    constexpr dnnl::memory::format_tag tags[] = {dnnl::memory::format_tag::abc,
                                                 dnnl::memory::format_tag::abcd,
                                                 dnnl::memory::format_tag::abcde};
    return Desc(dims, type, tags[rank - 1]);
  }
  Desc given(const Dims &dims) const { return desc(dims, type()); }

  Forward::primitive_desc forward(const dnnl::engine &engine, DataType in_type) const {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    Forward::desc wanted(dnnl::prop_kind::forward_training, algorithm, desc(in, in_type),
                         desc(out, in_type), strides, kernel, dilations, pads_begin, pads_end);
    return Forward::primitive_desc(wanted, attributes, engine);
  }

  Backward::primitive_desc backward(const dnnl::engine &engine, DataType in_type) const {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    Backward::desc wanted(algorithm, desc(in, in_type), desc(out, in_type), strides, kernel,
                          dilations, pads_begin, pads_end);
    return Backward::primitive_desc(wanted, attributes, engine, forward(engine, in_type));
  }

  /// One for both directions, which share the places of the maxima.
  DataType computed_type(const dnnl::engine &engine) const {
    return make_for(type(), [&](DataType in_type) {
      backward(engine, in_type);
      return in_type;
    });
  }

  int64_t rank;
  dnnl::algorithm algorithm;
  Dims in, kernel, strides, pads_begin, pads_end, dilations, out;
  int64_t kind, element; ///< numbers of tutti_pool; the second of the type of the caller's buffers
  DataType type() const { return data_type_of(element); }
  DoublePool doubles() const {
    auto plane = [](const Dims &dims) { return Dims(dims.begin() + 2, dims.end()); };
    return {in[0] * in[1], kind, {plane(in), kernel, strides, pads_begin, dilations, plane(out)}};
  }
};

PreparedCall prepare_forward(const Shape &shape, const dnnl::engine &engine, int destination) {
  auto desc = shape.forward(engine, shape.computed_type(engine));
  PreparedCall call(engine);
  call.add_input(DNNL_ARG_SRC, destination == PreparedCall::internal ? 1 : 0, shape.given(shape.in),
                 desc.src_desc());
  call.add_output(DNNL_ARG_DST, destination,
                  destination == PreparedCall::internal ? desc.dst_desc() : shape.given(shape.out),
                  desc.dst_desc());
  if (shape.algorithm == dnnl::algorithm::pooling_max)
    call.add_internal(DNNL_ARG_WORKSPACE, desc.workspace_desc());
  call.add_internal(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc());
  call.set_primitive(Forward(desc));
  return call;
}

PreparedCall prepare_backward(const Shape &shape, const dnnl::engine &engine) {
  auto desc = shape.backward(engine, shape.computed_type(engine));
  PreparedCall call(engine);
  call.add_input(DNNL_ARG_DIFF_DST, 0, shape.given(shape.out), desc.diff_dst_desc());
  call.add_output(DNNL_ARG_DIFF_SRC, 2, shape.given(shape.in), desc.diff_src_desc());
  if (shape.algorithm == dnnl::algorithm::pooling_max)
    call.add_internal(DNNL_ARG_WORKSPACE, desc.workspace_desc());
  call.add_internal(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc());
  call.set_primitive(Backward(desc));
  return call;
}

/// The gradient, preceded for max pooling by a forward run that leaves the places of the maxima in
/// scratch.
struct Gradient {
  Gradient(const Shape &shape, const dnnl::engine &engine)
      : is_max(shape.algorithm == dnnl::algorithm::pooling_max),
        forward(prepare_forward(shape, engine, PreparedCall::internal)),
        backward(prepare_backward(shape, engine)) {}

  void run(PrimitiveStore &store, void *const *buffers) {
    if (!is_max)
      return backward.run(store.stream, store.scratch, buffers);
    size_t after = forward.scratch_bytes();
    char *room = store.scratch.at_least(after + backward.scratch_bytes());
    forward.run(store.stream, store.scratch, buffers);
    backward.bind(DNNL_ARG_WORKSPACE, room + forward.offset_of(DNNL_ARG_WORKSPACE));
    backward.run(store.stream, store.scratch, buffers, after);
  }

  bool is_max;
  PreparedCall forward, backward;
};

} // namespace

void door::tutti_pool(tutti_context *context, void *const *buffers, const int64_t *parameters) {
  run_kernel(context, "tutti_pool", parameters, Shape::count(parameters), [&] {
    if (Shape::element_of(parameters) == TUTTI_F64)
      return Shape(parameters)
          .doubles()
          .forward(static_cast<const double *>(buffers[0]), static_cast<double *>(buffers[1]));
    PrimitiveStore &store = PrimitiveStore::of(context);
    auto make = [&] {
      return new PreparedCall(prepare_forward(Shape(parameters), store.engine, 1));
    };
    store.find<PreparedCall>(kernels::pool, parameters, Shape::count(parameters), make)
        .run(store.stream, store.scratch, buffers);
  });
}

void door::tutti_pool_backward(tutti_context *context, void *const *buffers,
                               const int64_t *parameters) {
  run_kernel(context, "tutti_pool_backward", parameters, Shape::count(parameters), [&] {
    if (Shape::element_of(parameters) == TUTTI_F64)
      return Shape(parameters)
          .doubles()
          .backward(static_cast<const double *>(buffers[0]),
                    static_cast<const double *>(buffers[1]), static_cast<double *>(buffers[2]));
    PrimitiveStore &store = PrimitiveStore::of(context);
    auto make = [&] { return new Gradient(Shape(parameters), store.engine); };
    store.find<Gradient>(kernels::pool_backward, parameters, Shape::count(parameters), make)
        .run(store, buffers);
  });
}
