// Changing the size of pictures.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_IMAGES_RESAMPLE_H
#define TUTTI_RUNTIME_HOST_DATA_IMAGES_RESAMPLE_H

#include "runtime/host/data/images/Image.h"

namespace tutti::runtime::data {

/// `image` with `width` x `height` pixels, bilinear with antialiasing: the bits of Pillow's
/// resize(..., BILINEAR), and so of torchvision's Resize of a Pillow image. Weights are rounded to
/// 22 bits, columns come before rows, and between the two colours are rounded to 8 bits.
Image resample(const Image &image, int64_t width, int64_t height);

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_IMAGES_RESAMPLE_H
