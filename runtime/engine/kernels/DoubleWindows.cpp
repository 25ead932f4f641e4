// Convolution and pooling of f64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/kernels/DoubleWindows.h"

#include <Eigen/Core>
#include <algorithm>
#include <functional>
#include <numeric>

namespace tutti::runtime::kernels {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<Matrix>;
using ConstView = Eigen::Map<const Matrix>;

int64_t product_of(const std::vector<int64_t> &sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
}

/// A column for each output, a row for each channel and position of the kernel.
Matrix columns_of(const WindowPlaces &places, const double *x, int64_t channels) {
  Matrix columns(channels * places.taps, places.outputs);
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t tap = 0; tap < places.taps; ++tap)
      for (int64_t o = 0; o < places.outputs; ++o) {
        int64_t at = places.at(o, tap);
        columns(c * places.taps + tap, o) = at < 0 ? 0 : x[c * places.inputs + at];
      }
  return columns;
}

void add_columns(const WindowPlaces &places, const Matrix &columns, double *x, int64_t channels) {
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t tap = 0; tap < places.taps; ++tap)
      for (int64_t o = 0; o < places.outputs; ++o)
        if (int64_t at = places.at(o, tap); at >= 0)
          x[c * places.inputs + at] += columns(c * places.taps + tap, o);
}

/// One group of one sample: where its parts lie.
struct Group {
  Group(const DoubleConvolution &c, int64_t sample, int64_t group)
      : channels(c.channels / c.groups), outputs(c.outputs / c.groups),
        x((sample * c.groups + group) * channels * c.places.inputs),
        w(group * outputs * channels * c.places.taps),
        y((sample * c.groups + group) * outputs * c.places.outputs), first_output(group * outputs) {
  }

  int64_t channels, outputs;
  int64_t x, w, y; ///< offsets
  int64_t first_output;
};

template <typename Run> void for_each_group(const DoubleConvolution &convolution, Run run) {
  for (int64_t sample = 0; sample < convolution.batch; ++sample)
    for (int64_t group = 0; group < convolution.groups; ++group)
      run(Group(convolution, sample, group));
}

} // namespace

WindowPlaces::WindowPlaces(const std::vector<int64_t> &in, const std::vector<int64_t> &kernel,
                           const std::vector<int64_t> &strides,
                           const std::vector<int64_t> &pads_begin,
                           const std::vector<int64_t> &dilations, const std::vector<int64_t> &out)
    : inputs(product_of(in)), taps(product_of(kernel)), outputs(product_of(out)),
      places(outputs * taps) {
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t place = 0, scale = 1, rest_of_output = o, rest_of_tap = tap;
      for (size_t d = in.size(); d-- > 0; rest_of_output /= out[d], rest_of_tap /= kernel[d]) {
        int64_t at = rest_of_output % out[d] * strides[d] - pads_begin[d] +
                     rest_of_tap % kernel[d] * (dilations[d] + 1);
        place = place < 0 || at < 0 || at >= in[d] ? -1 : place + at * scale;
        scale *= in[d];
      }
      places[o * taps + tap] = place;
    }
}

void DoubleConvolution::forward(const double *x, const double *w, const double *bias,
                                double *y) const {
  for_each_group(*this, [&](const Group &g) {
    ConstView weights(w + g.w, g.outputs, g.channels * places.taps);
    View result(y + g.y, g.outputs, places.outputs);
    result.noalias() = weights * columns_of(places, x + g.x, g.channels);
    if (bias)
      result.colwise() += Eigen::Map<const Eigen::VectorXd>(bias + g.first_output, g.outputs);
  });
}

void DoubleConvolution::backward_data(const double *dy, const double *w, double *dx) const {
  std::fill_n(dx, batch * channels * places.inputs, 0.0);
  for_each_group(*this, [&](const Group &g) {
    ConstView weights(w + g.w, g.outputs, g.channels * places.taps);
    ConstView gradient(dy + g.y, g.outputs, places.outputs);
    Matrix columns = weights.transpose() * gradient;
    add_columns(places, columns, dx + g.x, g.channels);
  });
}

void DoubleConvolution::backward_weights(const double *dy, const double *x, double *dw) const {
  std::fill_n(dw, outputs * (channels / groups) * places.taps, 0.0);
  for_each_group(*this, [&](const Group &g) {
    ConstView gradient(dy + g.y, g.outputs, places.outputs);
    View(dw + g.w, g.outputs, g.channels * places.taps).noalias() +=
        gradient * columns_of(places, x + g.x, g.channels).transpose();
  });
}

double DoublePool::divisor_of(int64_t output) const {
  if (kind == 2)
    return double(places.taps);
  int64_t count = 0;
  for (int64_t tap = 0; tap < places.taps; ++tap)
    count += places.at(output, tap) >= 0;
  return double(count);
}

int64_t DoublePool::maximum_of(const double *plane, int64_t output) const {
  int64_t best = -1;
  for (int64_t tap = 0; tap < places.taps; ++tap)
    if (int64_t at = places.at(output, tap); at >= 0 && (best < 0 || plane[at] > plane[best]))
      best = at;
  return best;
}

void DoublePool::forward(const double *x, double *y) const {
  for (int64_t p = 0; p < planes; ++p, x += places.inputs)
    for (int64_t o = 0; o < places.outputs; ++o, ++y) {
      if (kind == 0) {
        int64_t best = maximum_of(x, o);
        *y = best < 0 ? 0 : x[best];
        continue;
      }
      double sum = 0;
      for (int64_t tap = 0; tap < places.taps; ++tap)
        if (int64_t at = places.at(o, tap); at >= 0)
          sum += x[at];
      *y = sum / divisor_of(o);
    }
}

void DoublePool::backward(const double *dy, const double *x, double *dx) const {
  std::fill_n(dx, planes * places.inputs, 0.0);
  for (int64_t p = 0; p < planes; ++p, dx += places.inputs)
    for (int64_t o = 0; o < places.outputs; ++o, ++dy) {
      if (kind == 0) {
        if (int64_t best = maximum_of(x + p * places.inputs, o); best >= 0)
          dx[best] += *dy;
        continue;
      }
      double share = *dy / divisor_of(o);
      for (int64_t tap = 0; tap < places.taps; ++tap)
        if (int64_t at = places.at(o, tap); at >= 0)
          dx[at] += share;
    }
}

} // namespace tutti::runtime::kernels
