// Reads the first and the last byte of an array, which must be there whatever the file says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_FUZZ_FORMATS_TOUCH_H
#define TUTTI_TEST_FUZZ_FORMATS_TOUCH_H

#include "runtime/host/data/Array.h"
#include "test/fuzz/formats/Input.h"

namespace tutti::fuzz {

inline void touch(const runtime::data::Array &array) {
  auto bytes = runtime::data::array_bytes(array.type, array.shape);
  if (!bytes || *bytes == 0)
    return;
  volatile char ends = char(array.data[0] + array.data[*bytes - 1]);
  (void)ends;
}

inline void touch(const runtime::Result<runtime::data::Array> &array) {
  if (array)
    touch(*array);
}

} // namespace tutti::fuzz

#endif // TUTTI_TEST_FUZZ_FORMATS_TOUCH_H
