// Convolution and pooling of f64, which oneDNN does not have: windows are copied into a matrix, and
// matrices multiplied by Eigen.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_KERNELS_DOUBLEWINDOWS_H
#define TUTTI_RUNTIME_ENGINE_KERNELS_DOUBLEWINDOWS_H

#include <cstdint>
#include <vector>

namespace tutti::runtime::kernels {

/// How windows lie in one plane. A dilation of 0 is a dense window.
struct WindowPlaces {
  WindowPlaces(const std::vector<int64_t> &in, const std::vector<int64_t> &kernel,
               const std::vector<int64_t> &strides, const std::vector<int64_t> &pads_begin,
               const std::vector<int64_t> &dilations, const std::vector<int64_t> &out);

  /// The element of the plane that output `output` sees at position `tap` of the kernel; -1 in the
  /// padding.
  int64_t at(int64_t output, int64_t tap) const { return places[output * taps + tap]; }

  int64_t inputs, taps, outputs; ///< elements of the plane, of the kernel, of the result
private:
  std::vector<int64_t> places;
};

/// Buffers are dense and row-major, as of tutti_convolution.
struct DoubleConvolution {
  void forward(const double *x, const double *w, const double *bias, double *y) const;
  void backward_data(const double *dy, const double *w, double *dx) const;
  void backward_weights(const double *dy, const double *x, double *dw) const;

  int64_t batch, channels, outputs, groups;
  WindowPlaces places;
};

/// As of tutti_pool; `kind` is its number.
struct DoublePool {
  void forward(const double *x, double *y) const;
  void backward(const double *dy, const double *x, double *dx) const;

  int64_t planes, kind;
  WindowPlaces places;

private:
  /// By what the sum of an average is divided.
  double divisor_of(int64_t output) const;
  int64_t maximum_of(const double *plane, int64_t output) const;
};

} // namespace tutti::runtime::kernels

#endif // TUTTI_RUNTIME_ENGINE_KERNELS_DOUBLEWINDOWS_H
