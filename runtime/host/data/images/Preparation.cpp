// Resizing, cropping, flipping and normalising.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/images/Preparation.h"

#include "runtime/host/data/images/Resample.h"
#include "runtime/support/Numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tutti::runtime::data {
namespace {

using Size = std::array<int64_t, 2>; // height and width

Error bad(const char *key, const std::string &value, const char *expected) {
  return Error::make(TUTTI_INVALID_ARGUMENT, "--read: ", key, " is '", value, "'; expected is ",
                     expected);
}

/// "HxW", or "N" for a square.
std::optional<Size> parse_size(const std::string &value) {
  constexpr int64_t most = 1 << 16;
  size_t x = std::min(value.find('x'), value.size());
  Result<int64_t> height = parse_integer<int64_t>(value.substr(0, x), 1, most);
  Result<int64_t> width =
      x == value.size() ? height : parse_integer<int64_t>(value.substr(x + 1), 1, most);
  return height && width ? std::optional(Size{*height, *width}) : std::nullopt;
}

/// Three numbers, or one for all.
std::optional<std::array<float, 3>> parse_colours(std::string_view list) {
  std::array<float, 3> colours;
  for (size_t i = 0; i < 3; ++i) {
    size_t comma = std::min(list.find(','), list.size());
    auto [end, problem] = std::from_chars(list.data(), list.data() + comma, colours[i]);
    if (problem != std::errc() || end != list.data() + comma || !std::isfinite(colours[i]))
      return std::nullopt;
    if (i == 0 && comma == list.size())
      return std::array<float, 3>{colours[0], colours[0], colours[0]};
    if ((comma == list.size()) != (i == 2))
      return std::nullopt;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return colours;
}

Error take_colours(const std::string &value, ImageKeys &keys) {
  keys.is_scaled = value != "none";
  if (value == "none" || value.empty() || value == "unit")
    return Error::success();
  if (value == "imagenet") {
    keys.mean = {0.485f, 0.456f, 0.406f}, keys.deviation = {0.229f, 0.224f, 0.225f};
    return Error::success();
  }
  size_t slash = value.find('/');
  auto mean = parse_colours(std::string_view(value).substr(0, slash));
  auto deviation =
      slash == value.npos ? std::nullopt : parse_colours(std::string_view(value).substr(slash + 1));
  if (!mean || !deviation || std::count(deviation->begin(), deviation->end(), 0.0f))
    return bad(
        "normalize", value,
        "unit, none, imagenet, or means and standard deviations of colours from 0 to 1, such "
        "as 0.5/0.5 or 0.49,0.48,0.45/0.25,0.24,0.26");
  keys.mean = *mean, keys.deviation = *deviation;
  return Error::success();
}

/// The shorter edge becomes `shorter`; the longer is rounded down.
Size scaled_size(const Image &image, int64_t shorter) {
  auto longer = [&](int64_t own, int64_t other) {
    return int64_t(double(shorter * own) / double(other));
  };
  if (image.width <= image.height)
    return {longer(image.height, image.width), shorter};
  return {shorter, longer(image.width, image.height)};
}

Image padded(const Image &image, int64_t padding) {
  Image out{image.width + 2 * padding, image.height + 2 * padding, {}};
  out.pixels.resize(size_t(out.width * out.height * 3));
  for (int64_t y = 0; y < image.height; ++y)
    std::copy_n(image.pixels.data() + y * image.width * 3, image.width * 3,
                out.pixels.data() + ((y + padding) * out.width + padding) * 3);
  return out;
}

Image cropped(const Image &image, Size place, Size size) {
  Image out{size[1], size[0], std::vector<uint8_t>(size_t(size[0] * size[1] * 3))};
  for (int64_t y = 0; y < size[0]; ++y)
    std::copy_n(image.pixels.data() + ((place[0] + y) * image.width + place[1]) * 3, size[1] * 3,
                out.pixels.data() + y * size[1] * 3);
  return out;
}

void flip(Image &image) {
  for (int64_t y = 0; y < image.height; ++y)
    for (int64_t x = 0; x < image.width / 2; ++x) {
      uint8_t *row = image.pixels.data() + y * image.width * 3;
      std::swap_ranges(row + x * 3, row + x * 3 + 3, row + (image.width - 1 - x) * 3);
    }
}

/// Half of what is left; where that is odd, rounded to an even number, as Python's round does.
int64_t middle(int64_t left) { return int64_t(std::nearbyint(double(left) / 2)); }

Result<Image> crop(Image image, const ImageKeys &keys, SplitMix *random) {
  Size size = *keys.cropped;
  if (random && keys.padding)
    image = padded(image, keys.padding);
  Size left = {image.height - size[0], image.width - size[1]};
  if (left[0] < 0 || left[1] < 0)
    return Error::make(TUTTI_BAD_DATA, "it is ", image.height, " x ", image.width,
                       " pixels, of which crop=", size[0], "x", size[1],
                       " cannot be kept; enlarge it: --read=\"resize=", std::max(size[0], size[1]),
                       "\"");
  Size place = {middle(left[0]), middle(left[1])};
  if (random && keys.is_cropped_at_random) {
    place[0] = int64_t(random->below(uint64_t(left[0]) + 1));
    place[1] = int64_t(random->below(uint64_t(left[1]) + 1));
  }
  return cropped(image, place, size);
}

/// Calls write(place in the layout, colour, value) for every colour of every pixel.
template <typename Write>
void for_each_colour(const Image &image, const ImageKeys &keys, int64_t channels, Write write) {
  int64_t pixels = image.width * image.height;
  for (int64_t i = 0; i < pixels; ++i) {
    const uint8_t *pixel = image.pixels.data() + i * 3;
    if (channels == 1) {
      uint32_t grey = (pixel[0] * 19595u + pixel[1] * 38470u + pixel[2] * 7471u + 0x8000u) >> 16;
      write(i, 0, uint8_t(grey));
      continue;
    }
    for (int64_t c = 0; c < 3; ++c)
      write(keys.is_nchw ? c * pixels + i : i * 3 + c, c, pixel[c]);
  }
}

} // namespace

Result<ImageKeys> parse_image_keys(const ReadOptions &options) {
  ImageKeys keys;
  if (!options.resize.empty()) {
    std::optional<Size> size = parse_size(options.resize);
    if (!size)
      return bad("resize", options.resize, "the shorter edge, or HEIGHTxWIDTH");
    if (options.resize.find('x') == std::string::npos)
      keys.shorter = (*size)[0];
    else
      keys.resized = size;
  }
  if (!options.crop.empty()) {
    keys.cropped = parse_size(options.crop);
    if (!keys.cropped)
      return bad("crop", options.crop, "an edge, or HEIGHTxWIDTH");
  }
  if ((options.random_crop || options.padding > 0) && !keys.cropped)
    return Error::make(TUTTI_INVALID_ARGUMENT,
                       "--read: random-crop and padding need crop=SIZE, what is kept");
  if (options.padding > 0 && !options.random_crop)
    return Error::make(TUTTI_INVALID_ARGUMENT, "--read: padding is for random-crop=true");
  keys.padding = options.padding;
  keys.is_cropped_at_random = options.random_crop;
  keys.is_flipped_at_random = options.flip;
  keys.is_nchw = options.layout == "nchw";
  if (Error error = take_colours(options.normalize, keys))
    return error;
  return keys;
}

Result<Image> fit(Image image, const ImageKeys &keys, SplitMix *random) {
  if (keys.shorter || keys.resized) {
    Size size = keys.resized ? *keys.resized : scaled_size(image, keys.shorter);
    if (Error error = check_size(size[1], size[0]))
      return error;
    image = resample(image, size[1], size[0]);
  }
  if (keys.cropped) {
    Result<Image> kept = crop(std::move(image), keys, random);
    if (!kept)
      return kept.error();
    image = std::move(*kept);
  }
  if (random && keys.is_flipped_at_random && random->below(2))
    flip(image);
  return image;
}

void write_floats(const Image &image, const ImageKeys &keys, int64_t channels, float *to) {
  for_each_colour(image, keys, channels, [&](int64_t place, int64_t colour, uint8_t value) {
    float scaled = keys.is_scaled ? float(value) / 255.0f : float(value);
    to[place] = (scaled - keys.mean[size_t(colour)]) / keys.deviation[size_t(colour)];
  });
}

void write_bytes(const Image &image, const ImageKeys &keys, int64_t channels, uint8_t *to) {
  for_each_colour(image, keys, channels,
                  [&](int64_t place, int64_t, uint8_t value) { to[place] = value; });
}

} // namespace tutti::runtime::data
