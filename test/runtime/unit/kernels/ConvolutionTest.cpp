// Convolution and its gradients against naive loops, over ranks, groups, strides, dilations and
// uneven padding.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/unit/kernels/Interruptions.h"
#include "test/runtime/unit/kernels/WindowLoops.h"

#include <gmock/gmock.h>

namespace {

struct ConvolutionCase {
  int64_t batch, channels, outputs, groups;
  bool has_bias;
  Window window;

  Parameters parameters(bool with_bias) const {
    Parameters p = {int64_t(window.in.size()), batch, channels, outputs, groups, with_bias};
    window.append_to(p);
    return p;
  }
  int64_t x_size() const { return batch * channels * Window::volume(window.in); }
  int64_t w_size() const { return outputs * channels / groups * Window::volume(window.kernel); }
  int64_t y_size() const { return batch * outputs * Window::volume(window.out); }

  /// Calls use(x, w, y) for each product of the convolution.
  template <typename Use> void for_each(Use use) const {
    int64_t per_group_in = channels / groups, per_group_out = outputs / groups;
    int64_t in = Window::volume(window.in), out = Window::volume(window.out);
    int64_t kernel = Window::volume(window.kernel);
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t oc = 0; oc < outputs; ++oc)
        for (int64_t c = 0; c < per_group_in; ++c) {
          int64_t ic = oc / per_group_out * per_group_in + c;
          window.for_each([&](int64_t o, int64_t k, int64_t i) {
            use((n * channels + ic) * in + i, (oc * per_group_in + c) * kernel + k,
                (n * outputs + oc) * out + o);
          });
        }
  }
};

using Kernel = void (*)(tutti_context *, void *const *, const int64_t *);

Floats run(Kernel kernel, const Parameters &p, std::vector<Floats> inputs, int64_t out_size) {
  KernelHost host;
  Floats out(out_size, 99);
  std::vector<void *> buffers;
  for (Floats &input : inputs)
    buffers.push_back(input.data());
  buffers.push_back(out.data());
  for (int call = 0; call < 2; ++call) // the second uses what the first prepared
    kernel(host.context, buffers.data(), p.data());
  EXPECT_EQ(host.message(), "");
  return out;
}

void check_forward(const ConvolutionCase &c) {
  Floats x = numbers(c.x_size(), 1), w = numbers(c.w_size(), 2), b = numbers(c.outputs, 3);
  Floats expected(c.y_size());
  int64_t out = Window::volume(c.window.out);
  for (int64_t i = 0; c.has_bias && i < c.y_size(); ++i)
    expected[i] = b[i / out % c.outputs];
  c.for_each([&](int64_t xi, int64_t wi, int64_t yi) { expected[yi] += x[xi] * w[wi]; });
  std::vector<Floats> inputs = {x, w};
  if (c.has_bias)
    inputs.push_back(b);
  expect_close(run(tutti_convolution, c.parameters(c.has_bias), inputs, c.y_size()), expected);
}

void check_gradients(const ConvolutionCase &c) {
  Floats x = numbers(c.x_size(), 1), w = numbers(c.w_size(), 2), dy = numbers(c.y_size(), 3);
  Floats dx(c.x_size()), dw(c.w_size());
  c.for_each([&](int64_t xi, int64_t wi, int64_t yi) {
    dx[xi] += dy[yi] * w[wi];
    dw[wi] += dy[yi] * x[xi];
  });
  Parameters p = c.parameters(false);
  expect_close(run(tutti_convolution_backward_data, p, {dy, w}, c.x_size()), dx);
  expect_close(run(tutti_convolution_backward_weights, p, {dy, x}, c.w_size()), dw);
}

std::vector<ConvolutionCase> cases() {
  return {
      {2, 3, 4, 1, true, Window({9}, {3}, {1}, {1}, {1}, {1})},
      {2, 4, 6, 2, false, Window({10}, {3}, {2}, {2}, {0}, {2})},
      {2, 3, 5, 1, true, Window({7, 6}, {3, 2}, {1, 1}, {1, 0}, {1, 1}, {1, 1})},
      {1, 16, 32, 1, false, Window({8, 8}, {3, 3}, {2, 2}, {0, 1}, {1, 0}, {1, 1})},
      {2, 4, 8, 4, true, Window({9, 9}, {3, 3}, {1, 2}, {2, 2}, {2, 1}, {2, 2})},
      {3, 6, 6, 6, false, Window({5, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1})},
      {2, 8, 8, 1, true, Window({6, 6}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1})},
      {1, 2, 4, 2, true, Window({4, 5, 6}, {2, 3, 2}, {1, 2, 1}, {0, 1, 1}, {1, 1, 0}, {1, 1, 2})},
  };
}

} // namespace

TEST(Convolution, agrees_with_loops) {
  for (const ConvolutionCase &c : cases())
    check_forward(c);
}

TEST(Convolution, gradients_agree_with_loops) {
  for (const ConvolutionCase &c : cases())
    check_gradients(c);
}

TEST(Convolution, lets_no_handler_run_on_the_stack_of_a_product) {
  // oneDNN has no kernel of its own for these groups and multiplies matrices.
  ConvolutionCase c = {2, 4,     64,
                       2, false, Window({20, 20}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1})};
  KernelHost host;
  Parameters p = c.parameters(false);
  Floats x = numbers(c.x_size(), 1), dy = numbers(c.y_size(), 3), dw(c.w_size());
  void *buffers[] = {dy.data(), x.data(), dw.data()};
  expect_handlers_on_the_stack(
      [&] { tutti_convolution_backward_weights(host.context, buffers, p.data()); });
  EXPECT_EQ(host.message(), "");
}

TEST(Convolution, refuses_what_is_none) {
  KernelHost host;
  Parameters p = cases()[2].parameters(false);
  p[0] = 4;
  void *buffers[] = {nullptr, nullptr, nullptr};
  tutti_convolution(host.context, buffers, p.data());
  EXPECT_EQ(tutti_context_status(host.context), TUTTI_KERNEL_FAILED);
  EXPECT_THAT(host.message(), testing::HasSubstr("tutti_convolution: needs 1, 2 or 3 spatial"));
}

TEST(Convolution, names_itself_when_onednn_refuses) {
  KernelHost host;
  Parameters p = cases()[2].parameters(false);
  p.back() += 5; // no such output
  Floats any(10000);
  void *buffers[] = {any.data(), any.data(), any.data()};
  tutti_convolution_backward_data(host.context, buffers, p.data());
  EXPECT_THAT(host.message(), testing::HasSubstr("tutti_convolution_backward_data: "));
  EXPECT_THAT(host.message(), testing::HasSubstr("parameters {2, 2, 3, 5, 1, 0, 7, 6,"));
}

TEST(Convolution, refuses_groups_that_do_not_divide) {
  KernelHost host;
  Parameters p = cases()[2].parameters(false);
  p[4] = 2;
  void *buffers[] = {nullptr, nullptr, nullptr};
  tutti_convolution_backward_weights(host.context, buffers, p.data());
  EXPECT_THAT(host.message(), testing::HasSubstr("the groups do not divide the channels"));
}
