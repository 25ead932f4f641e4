// Times matrix products, convolutions and loops on one rank alone, then on all ranks at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/calibration/Calibration.h"

#include "runtime/host/calibration/LinearFit.h"
#include "runtime/host/calibration/RankStopwatch.h"
#include "tutti/kernels.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tutti::runtime::worker {
namespace {

constexpr double kernel_budget = 0.02; ///< seconds of each size in a round
constexpr int rounds = 3;
constexpr double near_bytes = 1 << 20; ///< that a cache holds, as in lib/cost/ComputeCost.cpp

class Kernels {
public:
  /// Memory of the context, as programs have it: with large pages, where the machine has them.
  explicit Kernels(tutti_context *context)
      : context(context), a(allocate(most)), b(allocate(most)), c(allocate(most)),
        variables(allocate(turns * width * width)) {
    if (!has_memory())
      return;
    for (size_t i = 0; i < most; ++i)
      a[i] = b[i] = 1.0f + float(i % 7);
    std::fill_n(variables, turns * width * width, 0.5f);
  }

  /// If not, the error is in the context.
  bool has_memory() const { return a && b && c && variables; }

  /// Rates on this rank; `overhead` becomes the seconds of a call. Whatever disturbs a rank that is
  /// alone only makes it slower, so the best of several rounds counts. With `crowded` others
  /// compute at the same time: what they take counts, and the round in the middle.
  MeasuredRates measure(bool crowded, double &overhead) {
    is_crowded = crowded;
    std::array<MeasuredRates, rounds> found;
    std::array<double, rounds> overheads;
    for (int round = 0; round < rounds; ++round)
      found[size_t(round)] = measure_once(overheads[size_t(round)]);
    overhead = *std::min_element(overheads.begin(), overheads.end());
    MeasuredRates rates;
    for (double MeasuredRates::*rate :
         {&MeasuredRates::matmul, &MeasuredRates::matmul_memory, &MeasuredRates::convolution,
          &MeasuredRates::loop, &MeasuredRates::memory}) {
      std::sort(found.begin(), found.end(),
                [&](const auto &one, const auto &other) { return one.*rate < other.*rate; });
      rates.*rate = found[is_crowded ? rounds / 2 : rounds - 1].*rate;
    }
    return rates;
  }

private:
  MeasuredRates measure_once(double &overhead) {
    std::vector<TimedSize> products;
    for (int64_t side : {16, 32, 64, 128, 256})
      products.push_back({operations(side, side, side), near_product(side)});
    LinearFit fit = fit_line(products);
    overhead = fit.fixed;
    MeasuredRates rates;
    rates.matmul = 1 / fit.per_unit;
    rates.convolution = convolution(fit.fixed);
    constexpr size_t near = 2 << 10, often = 64; // one pass takes as long as looking at the clock
    rates.loop = 2 * double(near * often) / loop(near, often);
    rates.memory = 3 * double(most * sizeof(float)) / loop(most, 1);
    rates.matmul_memory = far_products(fit, rates.memory);
    return rates;
  }

  /// Seconds of one `run`: the median of many, which leaves interruptions out; in a crowd the mean,
  /// as ranks that outnumber the processors interrupt each other.
  template <typename Run> double time(Run run) {
    run();
    std::vector<double> times;
    Stopwatch whole;
    while (whole.seconds() < kernel_budget || times.size() < 3) {
      Stopwatch watch;
      run();
      times.push_back(watch.seconds());
    }
    if (is_crowded)
      return whole.seconds() / double(times.size());
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
  }

  static double operations(int64_t rows, int64_t columns, int64_t inner) {
    return 2.0 * double(rows) * double(columns) * double(inner);
  }

  /// `a` times `b`, each as it lies or transposed.
  void multiply(const float *a, bool is_a_transposed, const float *b, bool is_b_transposed,
                float *c, int64_t rows, int64_t columns, int64_t inner) {
    float one = 1;
    int64_t alpha = 0;
    std::memcpy(&alpha, &one, sizeof one);
    const int64_t parameters[] = {1, rows, columns, inner, is_a_transposed, is_b_transposed,
                                  0, 0,    alpha,   0,     TUTTI_F32};
    void *buffers[] = {const_cast<float *>(a), const_cast<float *>(b), c};
    tutti_matmul(context, buffers, parameters);
  }

  double near_product(int64_t side) {
    return time([&] { multiply(a, false, b, false, c, side, side, side); });
  }

  /// Bytes a second, at most `limit`, that products of a layer read and write beyond what a cache
  /// holds: those of few samples and a matrix of variables, and of its two gradients. `near` is
  /// what they take where everything is near. Matrices take turns, so that each has to be fetched.
  double far_products(const LinearFit &near, double limit) {
    int64_t turn = 0;
    auto next = [&] { return variables + (turn++ % turns) * width * width; };
    std::vector<RestOfTime> rests;
    for (int64_t samples : {16, 64, 256}) {
      double bytes = double(width * (width + 2 * samples) * int64_t(sizeof(float)));
      double known = near.fixed + near.per_unit * operations(samples, width, width);
      for (double seconds : {time([&] { multiply(a, 0, next(), 0, c, samples, width, width); }),
                             time([&] { multiply(a, 0, next(), 1, c, samples, width, width); }),
                             time([&] { multiply(a, 1, b, 0, next(), width, width, samples); })})
        rests.push_back({bytes - near_bytes, seconds, known});
    }
    return 1 / std::max(fit_rest(rests), 1 / limit);
  }

  /// Operations a second of a 3 x 3 convolution of 32 channels and its two gradients.
  double convolution(double overhead) {
    constexpr int64_t samples = 8, channels = 32, side = 16, kernel = 3;
    const int64_t parameters[] = {2,    samples, channels, channels, 1,    0,    side,
                                  side, kernel,  kernel,   1,        1,    1,    1,
                                  1,    1,       1,        1,        side, side, TUTTI_F32};
    void *buffers[] = {a, b, c};
    double seconds = time([&] {
                       tutti_convolution(context, buffers, parameters);
                       tutti_convolution_backward_data(context, buffers, parameters);
                       tutti_convolution_backward_weights(context, buffers, parameters);
                     }) /
                     3;
    double operations = 2.0 * double(samples * channels * channels * kernel * kernel * side * side);
    return operations / std::max(seconds - overhead, seconds / 2);
  }

  double loop(size_t elements, size_t passes) {
    return time([&] {
      for (size_t pass = 0; pass < passes; ++pass)
        add_products(a, b, c, elements);
    });
  }

  __attribute__((noinline)) static void add_products(const float *a, const float *b,
                                                     float *__restrict c, size_t elements) {
    for (size_t i = 0; i < elements; ++i)
      c[i] = a[i] * 0.5f + b[i];
  }

  float *allocate(size_t elements) {
    void *memory = nullptr;
    tutti_context_alloc(context, int64_t(elements * sizeof(float)), &memory);
    return static_cast<float *>(memory);
  }

  static constexpr size_t most = 2 << 20; ///< elements; larger than the second-level cache
  static constexpr int64_t width = 1024;  ///< of matrices of variables
  static constexpr int64_t turns = 16;    ///< of them: more than any cache holds
  tutti_context *context;
  bool is_crowded = false;
  float *a, *b, *c, *variables;
};

} // namespace

void measure_compute(tutti_context *context, MeasuredCompute &compute) {
  Kernels kernels(context);
  if (!kernels.has_memory())
    return;
  tutti_barrier(context, no_plan_entry, TUTTI_GROUP_WORLD);
  bool is_first = tutti_group_rank(context, TUTTI_GROUP_WORLD) == 0;
  double overhead = 0;
  if (is_first)
    compute.alone = compute.together = kernels.measure(/*crowded=*/false, compute.kernel_overhead);
  tutti_barrier(context, no_plan_entry, TUTTI_GROUP_WORLD); // the others sleep here
  if (tutti_group_size(context, TUTTI_GROUP_WORLD) == 1)
    return;
  compute.together = kernels.measure(/*crowded=*/true, overhead);
}

} // namespace tutti::runtime::worker
