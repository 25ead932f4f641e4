// Resampling as Pillow does (its src/libImaging/Resample.c): a triangle as wide as the pixels of
// the smaller picture.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/images/Resample.h"

#include <algorithm>
#include <cmath>

namespace tutti::runtime::data {
namespace {

constexpr int bits_of_weights = 22;

/// Of one pixel: it is the sum of pixels from `first` on, times `weights`.
struct Taps {
  int64_t first = 0;
  std::vector<int32_t> weights;
};

std::vector<Taps> taps_of(int64_t from, int64_t to) {
  std::vector<Taps> all;
  double scale = double(from) / double(to), wide = std::max(scale, 1.0);
  for (int64_t i = 0; i < to; ++i) {
    double center = (double(i) + 0.5) * scale, sum = 0;
    int64_t first = std::max<int64_t>(0, int64_t(center - wide + 0.5));
    int64_t end = std::min(from, int64_t(center + wide + 0.5));
    std::vector<double> shares;
    for (int64_t x = 0; x < end - first; ++x) {
      double distance = std::fabs((double(x + first) - center + 0.5) * (1.0 / wide));
      shares.push_back(distance < 1 ? 1 - distance : 0);
      sum += shares.back();
    }
    Taps taps{first, {}};
    for (double share : shares)
      taps.weights.push_back(
          int32_t(0.5 + (sum != 0 ? share / sum : share) * double(1 << bits_of_weights)));
    all.push_back(std::move(taps));
  }
  return all;
}

/// A colour of the sum over pixels that are `stride` apart.
uint8_t sum_of(const Taps &taps, const uint8_t *from, int64_t stride) {
  int32_t sum = 1 << (bits_of_weights - 1);
  for (size_t i = 0; i < taps.weights.size(); ++i)
    sum += int32_t(from[int64_t(i) * stride]) * taps.weights[i];
  return uint8_t(std::clamp(sum >> bits_of_weights, 0, 255));
}

Image resample_columns(const Image &image, int64_t width) {
  Image out{width, image.height, std::vector<uint8_t>(size_t(width * image.height * 3))};
  std::vector<Taps> taps = taps_of(image.width, width);
  uint8_t *to = out.pixels.data();
  for (int64_t y = 0; y < image.height; ++y)
    for (const Taps &tap : taps) {
      const uint8_t *from = image.pixels.data() + (y * image.width + tap.first) * 3;
      for (int colour = 0; colour < 3; ++colour)
        *to++ = sum_of(tap, from + colour, 3);
    }
  return out;
}

Image resample_rows(const Image &image, int64_t height) {
  Image out{image.width, height, std::vector<uint8_t>(size_t(image.width * height * 3))};
  int64_t row = image.width * 3;
  uint8_t *to = out.pixels.data();
  for (const Taps &tap : taps_of(image.height, height)) {
    const uint8_t *from = image.pixels.data() + tap.first * row;
    for (int64_t x = 0; x < row; ++x)
      *to++ = sum_of(tap, from + x, row);
  }
  return out;
}

} // namespace

Image resample(const Image &image, int64_t width, int64_t height) {
  Image out = width == image.width ? image : resample_columns(image, width);
  return height == out.height ? out : resample_rows(out, height);
}

} // namespace tutti::runtime::data
