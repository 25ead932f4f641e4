// PNG by libpng.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/images/Image.h"

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <png.h>

namespace tutti::runtime::data {
namespace {

/// What is being read, and what libpng says of it.
struct Reading {
  std::string_view left;
  char what[256];
  const char *refused; ///< what is wrong with a picture that libpng can read
};

void take(png_structp decoder, png_bytep to, size_t count) {
  auto *reading = static_cast<Reading *>(png_get_io_ptr(decoder));
  if (count > reading->left.size())
    png_error(decoder, "it is truncated");
  std::memcpy(to, reading->left.data(), count);
  reading->left.remove_prefix(count);
}

[[noreturn]] void fail(png_structp decoder, png_const_charp what) {
  auto *reading = static_cast<Reading *>(png_get_error_ptr(decoder));
  std::snprintf(reading->what, sizeof reading->what, "%s", what);
  png_longjmp(decoder, 1);
}

void ignore(png_structp, png_const_charp) {}

/// Asks for red, green and blue of 8 bits each. False for what has no such that all agree on.
bool set_colours(png_structp decoder, png_infop info, Reading &reading) {
  int type = png_get_color_type(decoder, info), depth = png_get_bit_depth(decoder, info);
  bool is_grey = type == PNG_COLOR_TYPE_GRAY || type == PNG_COLOR_TYPE_GRAY_ALPHA;
  if (is_grey && depth == 16) {
    reading.refused = "it is a grey PNG of 16 bits, for which no scale is given; save it with 8";
    return false;
  }
  if (type == PNG_COLOR_TYPE_PALETTE)
    png_set_palette_to_rgb(decoder);
  if (is_grey && depth < 8)
    png_set_expand_gray_1_2_4_to_8(decoder);
  if (is_grey)
    png_set_gray_to_rgb(decoder);
  if (depth == 16)
    png_set_strip_16(decoder);
  png_set_strip_alpha(decoder);
  return true;
}

/// False if the picture is refused; jumps back if it is damaged. Nothing that has to be destroyed
/// is there while libpng runs.
__attribute__((noinline)) bool read(png_structp decoder, png_infop info, Reading &reading,
                                    Image &out, std::vector<png_bytep> &rows, Error &size) {
  png_set_read_fn(decoder, &reading, take);
  png_set_user_limits(decoder, 1 << 27, 1 << 27);
  png_set_chunk_malloc_max(decoder, 64 << 20);
  png_read_info(decoder, info);
  size = check_size(png_get_image_width(decoder, info), png_get_image_height(decoder, info));
  if (size || !set_colours(decoder, info, reading))
    return false;
  png_set_interlace_handling(decoder);
  png_read_update_info(decoder, info);
  out.width = png_get_image_width(decoder, info), out.height = png_get_image_height(decoder, info);
  if (int64_t(png_get_rowbytes(decoder, info)) != out.width * 3)
    png_error(decoder, "its rows have another size than its colours");
  out.pixels.resize(size_t(out.width * out.height * 3));
  rows.resize(size_t(out.height));
  for (int64_t y = 0; y < out.height; ++y)
    rows[size_t(y)] = out.pixels.data() + y * out.width * 3;
  png_read_image(decoder, rows.data());
  png_read_end(decoder, nullptr);
  return true;
}

bool decode(png_structp decoder, png_infop info, Reading &reading, Image &out,
            std::vector<png_bytep> &rows, Error &size) {
  if (setjmp(png_jmpbuf(decoder)) != 0)
    return false;
  return read(decoder, info, reading, out, rows, size);
}

} // namespace

Result<Image> decode_png(std::string_view bytes) {
  Reading reading = {bytes, {}, nullptr};
  Image image;
  Error size;
  std::vector<png_bytep> rows;
  png_structp decoder = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, fail, ignore);
  png_infop info = decoder ? png_create_info_struct(decoder) : nullptr;
  bool is_whole = info && decode(decoder, info, reading, image, rows, size);
  png_destroy_read_struct(&decoder, &info, nullptr);
  if (is_whole)
    return image;
  if (size)
    return size;
  if (reading.refused)
    return Error::make(TUTTI_BAD_DATA, reading.refused);
  return Error::make(TUTTI_BAD_DATA, "it is a damaged PNG: ", reading.what);
}

} // namespace tutti::runtime::data
