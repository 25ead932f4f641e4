// Convolution and its two gradients by oneDNN, which picks the layouts; this file says what is
// computed.
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
using Tag = dnnl::memory::format_tag;
using DataType = dnnl::memory::data_type;

/// The parameters of tutti_convolution, checked and named.
struct Shape {
  explicit Shape(const int64_t *p)
      : rank(p[0]), batch(p[1]), channels(p[2]), outputs(p[3]), groups(p[4]), has_bias(p[5] != 0) {
    if (rank < 1 || rank > 3)
      throw std::invalid_argument("needs 1, 2 or 3 spatial dims");
    if (groups < 1 || channels % groups != 0 || outputs % groups != 0)
      throw std::invalid_argument("the groups do not divide the channels");
    const int64_t *at = p + 6;
    for (Dims *dims : {&in, &kernel, &strides, &pads_begin, &pads_end, &dilations, &out}) {
      dims->assign(at, at + rank);
      at += rank;
    }
    for (int64_t &dilation : dilations)
      --dilation; // oneDNN counts the holes
    element = *at;
  }

  static int64_t count(const int64_t *p) { return 6 + (p[0] >= 1 && p[0] <= 3 ? 7 * p[0] + 1 : 0); }

  static int64_t element_of(const int64_t *p) { return p[count(p) - 1]; }

  Dims input_dims() const { return with({batch, channels}, in); }
  Dims output_dims() const { return with({batch, outputs}, out); }
  Dims weight_dims() const {
    if (groups == 1)
      return with({outputs, channels}, kernel);
    return with({groups, outputs / groups, channels / groups}, kernel);
  }

  static Dims with(Dims head, const Dims &tail) {
    head.insert(head.end(), tail.begin(), tail.end());
    return head;
  }

  int64_t rank, batch, channels, outputs, groups;
  bool has_bias;
  Dims in, kernel, strides, pads_begin, pads_end, dilations, out;
  int64_t element; ///< type of the caller's buffers
  DataType type() const { return data_type_of(element); }
  DoubleConvolution doubles() const {
    return {batch, channels, outputs, groups, {in, kernel, strides, pads_begin, dilations, out}};
  }
};

/// Row-major, as the caller has it.
Desc plain(const Dims &dims, DataType type) {
  constexpr Tag tags[] = {Tag::a, Tag::ab, Tag::abc, Tag::abcd, Tag::abcde, Tag::abcdef};
  return Desc(dims, type, tags[dims.size() - 1]);
}

dnnl::primitive_attr own_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

dnnl::convolution_forward::primitive_desc describe(const Shape &s, DataType type,
                                                   const dnnl::engine &engine) {
  auto any = [&](const Dims &dims) { return Desc(dims, type, Tag::any); };
  auto algorithm = dnnl::algorithm::convolution_direct;
  auto kind = dnnl::prop_kind::forward_training;
  using Forward = dnnl::convolution_forward;
  Forward::desc desc =
      s.has_bias
          ? Forward::desc(kind, algorithm, any(s.input_dims()), any(s.weight_dims()),
                          plain({s.outputs}, type), any(s.output_dims()), s.strides, s.dilations,
                          s.pads_begin, s.pads_end)
          : Forward::desc(kind, algorithm, any(s.input_dims()), any(s.weight_dims()),
                          any(s.output_dims()), s.strides, s.dilations, s.pads_begin, s.pads_end);
  return Forward::primitive_desc(desc, own_scratchpad(), engine);
}

PreparedCall *prepare_forward(const Shape &s, const dnnl::engine &engine) {
  auto desc = make_for(s.type(), [&](DataType type) { return describe(s, type, engine); });
  auto call = std::make_unique<PreparedCall>(engine);
  call->add_input(DNNL_ARG_SRC, 0, plain(s.input_dims(), s.type()), desc.src_desc());
  call->add_input(DNNL_ARG_WEIGHTS, 1, plain(s.weight_dims(), s.type()), desc.weights_desc());
  if (s.has_bias)
    call->add_input(DNNL_ARG_BIAS, 2, plain({s.outputs}, s.type()), desc.bias_desc());
  call->add_output(DNNL_ARG_DST, s.has_bias ? 3 : 2, plain(s.output_dims(), s.type()),
                   desc.dst_desc());
  call->add_internal(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc());
  call->set_primitive(dnnl::convolution_forward(desc));
  return call.release();
}

/// `Backward`: towards the data or the weights.
template <typename Backward>
typename Backward::primitive_desc describe_backward(const Shape &s, const dnnl::engine &engine) {
  return make_for(s.type(), [&](DataType type) {
    auto any = [&](const Dims &dims) { return Desc(dims, type, Tag::any); };
    typename Backward::desc wanted(dnnl::algorithm::convolution_direct, any(s.input_dims()),
                                   any(s.weight_dims()), any(s.output_dims()), s.strides,
                                   s.dilations, s.pads_begin, s.pads_end);
    return typename Backward::primitive_desc(wanted, own_scratchpad(), engine,
                                             describe(s, type, engine));
  });
}

PreparedCall *prepare_data(const Shape &s, const dnnl::engine &engine) {
  using Backward = dnnl::convolution_backward_data;
  auto desc = describe_backward<Backward>(s, engine);
  auto call = std::make_unique<PreparedCall>(engine);
  call->add_input(DNNL_ARG_DIFF_DST, 0, plain(s.output_dims(), s.type()), desc.diff_dst_desc());
  call->add_input(DNNL_ARG_WEIGHTS, 1, plain(s.weight_dims(), s.type()), desc.weights_desc());
  call->add_output(DNNL_ARG_DIFF_SRC, 2, plain(s.input_dims(), s.type()), desc.diff_src_desc());
  call->add_internal(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc());
  call->set_primitive(Backward(desc));
  return call.release();
}

PreparedCall *prepare_weights(const Shape &s, const dnnl::engine &engine) {
  using Backward = dnnl::convolution_backward_weights;
  auto desc = describe_backward<Backward>(s, engine);
  auto call = std::make_unique<PreparedCall>(engine);
  call->add_input(DNNL_ARG_DIFF_DST, 0, plain(s.output_dims(), s.type()), desc.diff_dst_desc());
  call->add_input(DNNL_ARG_SRC, 1, plain(s.input_dims(), s.type()), desc.src_desc());
  call->add_output(DNNL_ARG_DIFF_WEIGHTS, 2, plain(s.weight_dims(), s.type()),
                   desc.diff_weights_desc());
  call->add_internal(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc());
  call->set_primitive(Backward(desc));
  return call.release();
}

using Prepare = PreparedCall *(*)(const Shape &, const dnnl::engine &);
/// What f64 takes instead.
using RunDoubles = void (*)(const Shape &, double *const *);

void forward_doubles(const Shape &s, double *const *buffers) {
  s.doubles().forward(buffers[0], buffers[1], s.has_bias ? buffers[2] : nullptr,
                      buffers[s.has_bias ? 3 : 2]);
}
void data_doubles(const Shape &s, double *const *buffers) {
  s.doubles().backward_data(buffers[0], buffers[1], buffers[2]);
}
void weights_doubles(const Shape &s, double *const *buffers) {
  s.doubles().backward_weights(buffers[0], buffers[1], buffers[2]);
}

void run(tutti_context *context, const char *name, StoredKind kind, Prepare prepare,
         RunDoubles run_doubles, void *const *buffers, const int64_t *parameters) {
  int64_t count = Shape::count(parameters);
  run_kernel(context, name, parameters, count, [&] {
    if (Shape::element_of(parameters) == TUTTI_F64)
      return run_doubles(Shape(parameters), reinterpret_cast<double *const *>(buffers));
    PrimitiveStore &store = PrimitiveStore::of(context);
    store
        .find<PreparedCall>(kind, parameters, count,
                            [&] { return prepare(Shape(parameters), store.engine); })
        .run(store.stream, store.scratch, buffers);
  });
}

} // namespace

void door::tutti_convolution(tutti_context *context, void *const *buffers,
                             const int64_t *parameters) {
  run(context, "tutti_convolution", forward_convolution, prepare_forward, forward_doubles, buffers,
      parameters);
}

void door::tutti_convolution_backward_data(tutti_context *context, void *const *buffers,
                                           const int64_t *parameters) {
  run(context, "tutti_convolution_backward_data", data_convolution, prepare_data, data_doubles,
      buffers, parameters);
}

void door::tutti_convolution_backward_weights(tutti_context *context, void *const *buffers,
                                              const int64_t *parameters) {
  run(context, "tutti_convolution_backward_weights", weights_convolution, prepare_weights,
      weights_doubles, buffers, parameters);
}
