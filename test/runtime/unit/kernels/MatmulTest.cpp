// tutti_matmul against three loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/unit/kernels/Interruptions.h"
#include "test/runtime/unit/kernels/KernelHost.h"

#include "runtime/support/HalfPrecision.h"

#include <cstring>
#include <gmock/gmock.h>

using tutti::runtime::BFloat16;

namespace {

struct MatmulCase {
  int64_t batch, m, n, k, trans_a, trans_b, stride_a, stride_b;
  float alpha;
  int64_t accumulate;
};

Floats naive(const MatmulCase &c, const Floats &a, const Floats &b, Floats out) {
  for (int64_t s = 0; s < c.batch; ++s)
    for (int64_t i = 0; i < c.m; ++i)
      for (int64_t j = 0; j < c.n; ++j) {
        double sum = 0;
        for (int64_t x = 0; x < c.k; ++x)
          sum += double(a[s * c.stride_a + (c.trans_a ? x * c.m + i : i * c.k + x)]) *
                 b[s * c.stride_b + (c.trans_b ? j * c.k + x : x * c.n + j)];
        float &to = out[(s * c.m + i) * c.n + j];
        to = float(c.alpha * sum) + (c.accumulate ? to : 0);
      }
  return out;
}

void check_matmul(const MatmulCase &c) {
  KernelHost host;
  Floats a = numbers(std::max<int64_t>(1, c.batch * c.m * c.k), 1);
  Floats b = numbers(std::max<int64_t>(1, c.batch * c.k * c.n), 2);
  Floats out = numbers(c.batch * c.m * c.n, 3);
  Floats expected = naive(c, a, b, out);
  int32_t alpha;
  std::memcpy(&alpha, &c.alpha, sizeof alpha);
  Parameters p = {c.batch,    c.m,        c.n,   c.k,          c.trans_a, c.trans_b,
                  c.stride_a, c.stride_b, alpha, c.accumulate, TUTTI_F32};
  void *buffers[] = {a.data(), b.data(), out.data()};
  tutti_matmul(host.context, buffers, p.data());
  EXPECT_EQ(host.message(), "");
  expect_close(out, expected);
}

/// Of numbers that bf16 has; `T` is the type of memory, `unit` that of its last place.
template <typename T, typename Store, typename Load>
void check_as(const MatmulCase &c, int64_t type, double unit, Store store, Load load) {
  KernelHost host;
  auto rounded = [](Floats values) {
    for (float &value : values)
      value = BFloat16::store(value).load();
    return values;
  };
  Floats a = rounded(numbers(c.batch * c.m * c.k, 1)), b = rounded(numbers(c.batch * c.k * c.n, 2));
  Floats expected = naive(c, a, b, Floats(c.batch * c.m * c.n));
  auto stored = [&](const Floats &values) {
    std::vector<T> out;
    for (float value : values)
      out.push_back(store(value));
    return out;
  };
  std::vector<T> left = stored(a), right = stored(b), out(expected.size());
  int32_t alpha;
  std::memcpy(&alpha, &c.alpha, sizeof alpha);
  Parameters p = {c.batch,    c.m,        c.n,   c.k,          c.trans_a, c.trans_b,
                  c.stride_a, c.stride_b, alpha, c.accumulate, type};
  void *buffers[] = {left.data(), right.data(), out.data()};
  tutti_matmul(host.context, buffers, p.data());
  ASSERT_EQ(host.message(), "");
  for (size_t i = 0; i < out.size(); ++i)
    EXPECT_NEAR(load(out[i]), expected[i], unit * (1 + std::abs(expected[i]))) << "element " << i;
}

const std::vector<MatmulCase> &cases_of_other_types() {
  static const std::vector<MatmulCase> cases = {
      {1, 13, 7, 21, 0, 0, 0, 0, 1, 0},     {1, 13, 7, 21, 1, 0, 0, 0, 1, 0},
      {1, 13, 7, 21, 0, 1, 0, 0, 2, 0},     {1, 64, 48, 80, 1, 1, 0, 0, 1, 0},
      {3, 4, 5, 6, 0, 0, 24, 30, 1, 0},     {3, 4, 5, 6, 0, 1, 24, 0, -0.5f, 0},
      {3, 16, 32, 64, 1, 0, 0, 2048, 1, 0}, {1, 3, 4, 0, 0, 0, 0, 0, 1, 0},
      {1, 1, 300, 1, 0, 0, 0, 0, 1, 0},     {1, 0, 4, 2, 0, 0, 0, 0, 1, 0}};
  return cases;
}

} // namespace

TEST(Matmul, sums_products_of_bf16_in_f32) {
  for (const MatmulCase &c : cases_of_other_types())
    check_as<BFloat16>(c, TUTTI_BF16, 1.0 / 256, BFloat16::store,
                       [](BFloat16 value) { return value.load(); });
}

TEST(Matmul, multiplies_doubles) {
  for (const MatmulCase &c : cases_of_other_types()) // `expected` is rounded to f32
    check_as<double>(
        c, TUTTI_F64, 1e-7, [](float value) { return double(value); },
        [](double value) { return value; });
}

TEST(Matmul, names_a_type_that_it_has_not) {
  KernelHost host;
  Parameters p = {1, 3, 4, 2, 0, 0, 0, 0, 0, 0, TUTTI_I32};
  void *buffers[] = {nullptr, nullptr, nullptr};
  tutti_matmul(host.context, buffers, p.data());
  EXPECT_THAT(host.message(), testing::HasSubstr("the type is none of f32, f64 and bf16"));
}

TEST(Matmul, agrees_with_loops_in_all_transpositions) {
  for (int64_t trans_a : {0, 1})
    for (int64_t trans_b : {0, 1})
      check_matmul({1, 13, 7, 21, trans_a, trans_b, 0, 0, 1, 0});
}

TEST(Matmul, scales_and_accumulates) {
  check_matmul({1, 4, 5, 6, 0, 0, 0, 0, -0.5f, 0});
  check_matmul({1, 4, 5, 6, 0, 1, 0, 0, 2, 1});
}

TEST(Matmul, runs_batches_and_broadcasts_one_side) {
  check_matmul({3, 4, 5, 6, 0, 0, 24, 30, 1, 0});
  check_matmul({3, 4, 5, 6, 0, 1, 24, 0, 1, 0});
  check_matmul({3, 4, 5, 6, 1, 0, 0, 30, 1, 1});
}

TEST(Matmul, has_empty_products) {
  check_matmul({1, 3, 4, 0, 0, 0, 0, 0, 1, 0});
  check_matmul({1, 3, 4, 0, 0, 0, 0, 0, 1, 1});
  check_matmul({1, 0, 4, 2, 0, 0, 0, 0, 1, 0});
  check_matmul({0, 3, 4, 2, 0, 0, 0, 0, 1, 0});
}

TEST(Matmul, names_a_negative_size) {
  KernelHost host;
  Parameters p = {1, -3, 4, 2, 0, 0, 0, 0, 0, 0, TUTTI_F32};
  void *buffers[] = {nullptr, nullptr, nullptr};
  tutti_matmul(host.context, buffers, p.data());
  EXPECT_THAT(host.message(),
              testing::HasSubstr("tutti_matmul: a size is negative; parameters {1, -3, 4, 2"));
}

TEST(Matmul, lets_no_handler_run_on_the_stack_of_a_product) {
  KernelHost host;
  constexpr int64_t one = 0x3f800000; // the bits of 1.0f
  Parameters p = {4, 64, 10, 128, 0, 0, 0, 0, one, 0, TUTTI_F32};
  Floats a = numbers(64 * 128, 1), b = numbers(128 * 10, 2), out(4 * 64 * 10);
  void *buffers[] = {a.data(), b.data(), out.data()};
  expect_handlers_on_the_stack([&] { tutti_matmul(host.context, buffers, p.data()); });
}
