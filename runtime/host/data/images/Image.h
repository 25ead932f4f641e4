// Pictures: JPEG and PNG as pixels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_IMAGES_IMAGE_H
#define TUTTI_RUNTIME_HOST_DATA_IMAGES_IMAGE_H

#include "runtime/support/Error.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tutti::runtime::data {

/// Red, green and blue of each pixel, row by row from the top.
struct Image {
  int64_t width = 0, height = 0;
  std::vector<uint8_t> pixels; ///< height x width x 3
};

/// The picture that `bytes` is, found by its first bytes, which may be hostile. A grey one has
/// three equal colours, an alpha channel is dropped, and of 16 bits of a colour the upper 8 are
/// taken, all as Pillow's convert("RGB") does; so are gamma, colour profiles and the orientation of
/// EXIF not looked at. An error says what is wrong without naming the file.
Result<Image> decode_image(std::string_view bytes);

Result<Image> decode_jpeg(std::string_view bytes);
Result<Image> decode_png(std::string_view bytes);

/// Whether a picture of this size is one to make room for.
Error check_size(int64_t width, int64_t height);

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_IMAGES_IMAGE_H
