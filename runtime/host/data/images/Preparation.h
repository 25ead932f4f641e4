// From pictures to the numbers of an input.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_IMAGES_PREPARATION_H
#define TUTTI_RUNTIME_HOST_DATA_IMAGES_PREPARATION_H

#include "runtime/host/data/ReadOptions.h"
#include "runtime/host/data/SplitMix.h"
#include "runtime/host/data/images/Image.h"

#include <array>
#include <optional>

namespace tutti::runtime::data {

/// What --read says of pictures. Sizes are height and width.
struct ImageKeys {
  int64_t shorter = 0;                           ///< edge after resizing; 0: not so
  std::optional<std::array<int64_t, 2>> resized; ///< of all pictures after resizing
  std::optional<std::array<int64_t, 2>> cropped; ///< of what is kept
  int64_t padding = 0;                           ///< black pixels around, before it is cropped
  bool is_cropped_at_random = false, is_flipped_at_random = false;
  bool is_scaled = true;                                        ///< to 0 to 1, from 0 to 255
  std::array<float, 3> mean = {0, 0, 0}, deviation = {1, 1, 1}; ///< of scaled colours
  bool is_nchw = true;                                          ///< or nhwc

  bool draws() const { return is_cropped_at_random || is_flipped_at_random; }
};

/// Fails if a key is not written as it should be, or two do not go together.
Result<ImageKeys> parse_image_keys(const ReadOptions &options);

/// Resizes, pads, crops and flips: from `random` come, in this order, the row, the column, and
/// whether it is flipped. Without it nothing is padded or flipped, and the centre kept. Fails where
/// less is there than is to be kept.
Result<Image> fit(Image image, const ImageKeys &keys, SplitMix *random);

/// The colours of a picture: `channels` is 3, or 1 for grey as Pillow's convert("L") makes it.
/// Floats are scaled and normalised in f32, by divisions as torchvision does.
void write_floats(const Image &image, const ImageKeys &keys, int64_t channels, float *to);
void write_bytes(const Image &image, const ImageKeys &keys, int64_t channels, uint8_t *to);

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_IMAGES_PREPARATION_H
