// Pooling and its gradient against naive loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/unit/kernels/WindowLoops.h"

#include <gmock/gmock.h>
#include <limits>

namespace {

enum Kind : int64_t { maximum, average_without_padding, average_with_padding };

struct PoolCase {
  int64_t batch, channels;
  Kind kind;
  Window window;

  Parameters parameters() const {
    Parameters p = {int64_t(window.in.size()), batch, channels, kind};
    window.append_to(p);
    return p;
  }
  int64_t planes() const { return batch * channels; }
  int64_t in() const { return Window::volume(window.in); }
  int64_t out() const { return Window::volume(window.out); }
};

/// One plane: calls use(output, input, weight of that input in the output).
template <typename Use> void for_each_weight(const PoolCase &c, const float *x, Use use) {
  std::vector<int64_t> seen(c.out()), best(c.out(), -1);
  c.window.for_each([&](int64_t o, int64_t, int64_t i) {
    ++seen[o];
    if (best[o] < 0 || x[i] > x[best[o]])
      best[o] = i;
  });
  c.window.for_each([&](int64_t o, int64_t, int64_t i) {
    if (c.kind == maximum)
      use(o, i, best[o] == i ? 1.0f : 0.0f);
    else if (c.kind == average_without_padding)
      use(o, i, 1.0f / float(seen[o]));
    else
      use(o, i, 1.0f / float(Window::volume(c.window.kernel)));
  });
}

void check_pool(const PoolCase &c) {
  KernelHost host;
  Floats x = numbers(c.planes() * c.in(), 1), dy = numbers(c.planes() * c.out(), 2);
  Floats y(c.planes() * c.out(), 99), dx(c.planes() * c.in(), 99);
  Floats expected_y(y.size()), expected_dx(dx.size());
  for (int64_t plane = 0; plane < c.planes(); ++plane)
    for_each_weight(c, &x[plane * c.in()], [&](int64_t o, int64_t i, float weight) {
      expected_y[plane * c.out() + o] += weight * x[plane * c.in() + i];
      expected_dx[plane * c.in() + i] += weight * dy[plane * c.out() + o];
    });
  Parameters p = c.parameters();
  void *forward[] = {x.data(), y.data()};
  void *backward[] = {dy.data(), c.kind == maximum ? x.data() : nullptr, dx.data()};
  for (int call = 0; call < 2; ++call) {
    tutti_pool(host.context, forward, p.data());
    tutti_pool_backward(host.context, backward, p.data());
  }
  EXPECT_EQ(host.message(), "");
  expect_close(y, expected_y);
  expect_close(dx, expected_dx);
}

} // namespace

TEST(Pool, agrees_with_loops) {
  for (Kind kind : {maximum, average_without_padding, average_with_padding}) {
    check_pool({2, 3, kind, Window({8}, {2}, {2}, {0}, {0}, {1})});
    check_pool({2, 3, kind, Window({8, 8}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, {1, 1})});
    check_pool({1, 16, kind, Window({7, 9}, {3, 3}, {2, 1}, {1, 0}, {0, 2}, {1, 1})});
    check_pool(
        {2, 2, kind, Window({4, 5, 6}, {2, 3, 2}, {2, 1, 1}, {0, 1, 0}, {0, 1, 1}, {1, 1, 1})});
  }
}

TEST(Pool, dilates_windows) {
  check_pool({2, 3, maximum, Window({9, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {2, 2})});
}

TEST(Pool, the_first_of_equal_maxima_gets_the_gradient) {
  KernelHost host;
  PoolCase c = {1, 1, maximum, Window({4}, {4}, {1}, {0}, {0}, {1})};
  Floats x = {1, 5, 5, 2}, dy = {3}, dx(4);
  void *buffers[] = {dy.data(), x.data(), dx.data()};
  tutti_pool_backward(host.context, buffers, c.parameters().data());
  EXPECT_EQ(dx, (Floats{0, 3, 0, 0}));
}

TEST(Pool, refuses_what_is_none) {
  for (auto [place, value, complaint] : {std::tuple{0, 0, "needs 1, 2 or 3 spatial dims"},
                                         std::tuple{3, 7, "the kind is not 0, 1 or 2"}}) {
    KernelHost host;
    PoolCase c = {1, 1, maximum, Window({4}, {4}, {1}, {0}, {0}, {1})};
    Parameters p = c.parameters();
    p[place] = value;
    void *buffers[] = {nullptr, nullptr, nullptr};
    tutti_pool(host.context, buffers, p.data());
    EXPECT_THAT(host.message(), testing::HasSubstr(complaint));
  }
  KernelHost host;
  Parameters p = {0, 1, 1, 0};
  tutti_pool_backward(host.context, nullptr, p.data());
  EXPECT_THAT(host.message(), testing::HasSubstr("tutti_pool_backward: needs 1, 2 or 3"));
}
