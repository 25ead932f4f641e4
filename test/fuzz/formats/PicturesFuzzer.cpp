// Bytes as a picture.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/images/Preparation.h"
#include "test/fuzz/formats/Input.h"

namespace data = tutti::runtime::data;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  auto image = data::decode_image(tutti::fuzz::textOf(bytes, size));
  if (!image || image->width * image->height > 1 << 16) // larger ones take long
    return 0;
  data::ImageKeys keys;
  keys.shorter = 7;
  keys.cropped = {{5, 5}};
  auto fitted = data::fit(std::move(*image), keys, nullptr);
  if (!fitted)
    return 0;
  std::vector<float> values(3 * 5 * 5);
  data::write_floats(*fitted, keys, 3, values.data());
  return 0;
}
