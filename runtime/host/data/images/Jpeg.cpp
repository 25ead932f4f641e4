// JPEG by libjpeg-turbo.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/images/Image.h"

#include <csetjmp>
#include <cstdio>
// After the standard headers, which it needs.
#include <jerror.h>
#include <jpeglib.h>

namespace tutti::runtime::data {
namespace {

/// What libjpeg calls instead of ending the process: it jumps back into decode().
struct Failures {
  jpeg_error_mgr manager; ///< the first: libjpeg knows the rest by its address
  std::jmp_buf back;
  char what[JMSG_LENGTH_MAX];
  const char *refused; ///< what is wrong with a picture that libjpeg can read
};

[[noreturn]] void fail(j_common_ptr decoder) {
  auto *failures = reinterpret_cast<Failures *>(decoder->err);
  decoder->err->format_message(decoder, failures->what);
  std::longjmp(failures->back, 1);
}

/// Warnings are of data that are damaged, for which libjpeg would make something up.
void warn(j_common_ptr decoder, int level) {
  if (level < 0 && decoder->err->msg_code != JWRN_EXTRANEOUS_DATA)
    fail(decoder);
}

/// False if the picture is refused; jumps back if it is damaged. Nothing that has to be destroyed
/// is there while libjpeg runs.
__attribute__((noinline)) bool read(jpeg_decompress_struct &decoder, Failures &failures,
                                    std::string_view bytes, Image &out, Error &size) {
  jpeg_create_decompress(&decoder);
  jpeg_mem_src(&decoder, reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size());
  jpeg_read_header(&decoder, TRUE);
  if (decoder.jpeg_color_space == JCS_CMYK || decoder.jpeg_color_space == JCS_YCCK) {
    failures.refused = "it is a JPEG in CMYK, which has no colours without a profile; save it as "
                       "RGB";
    return false;
  }
  decoder.out_color_space = JCS_RGB;
  size = check_size(decoder.image_width, decoder.image_height);
  if (size)
    return false;
  out.width = decoder.image_width, out.height = decoder.image_height;
  out.pixels.resize(size_t(out.width * out.height * 3));
  jpeg_start_decompress(&decoder);
  while (decoder.output_scanline < decoder.output_height) {
    JSAMPROW row = out.pixels.data() + size_t(decoder.output_scanline) * size_t(out.width) * 3;
    jpeg_read_scanlines(&decoder, &row, 1);
  }
  jpeg_finish_decompress(&decoder);
  return true;
}

bool decode(jpeg_decompress_struct &decoder, Failures &failures, std::string_view bytes, Image &out,
            Error &size) {
  if (setjmp(failures.back) != 0)
    return false;
  return read(decoder, failures, bytes, out, size);
}

} // namespace

Result<Image> decode_jpeg(std::string_view bytes) {
  Image image;
  Error size;
  Failures failures = {};
  jpeg_decompress_struct decoder = {};
  decoder.err = jpeg_std_error(&failures.manager);
  failures.manager.error_exit = fail;
  failures.manager.emit_message = warn;
  bool is_whole = decode(decoder, failures, bytes, image, size);
  jpeg_destroy_decompress(&decoder);
  if (is_whole)
    return image;
  if (size)
    return size;
  if (failures.refused)
    return Error::make(TUTTI_BAD_DATA, failures.refused);
  return Error::make(TUTTI_BAD_DATA, "it is a damaged JPEG: ", failures.what);
}

} // namespace tutti::runtime::data
