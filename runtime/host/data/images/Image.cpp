// Which decoder a picture needs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/images/Image.h"

namespace tutti::runtime::data {

Error check_size(int64_t width, int64_t height) {
  constexpr int64_t most = int64_t(1) << 27; // pixels
  if (width > 0 && height > 0 && width <= most / height)
    return Error::success();
  return Error::make(TUTTI_BAD_DATA, "it says to have ", width, " x ", height,
                     " pixels; the most are ", most);
}

Result<Image> decode_image(std::string_view bytes) {
  if (bytes.substr(0, 3) == "\xff\xd8\xff")
    return decode_jpeg(bytes);
  if (bytes.substr(0, 8) == "\x89PNG\r\n\x1a\n")
    return decode_png(bytes);
  return Error::make(TUTTI_BAD_DATA, "it is neither a JPEG nor a PNG");
}

} // namespace tutti::runtime::data
