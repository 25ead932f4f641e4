// Which elements windows cover.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/interpreter/Windows.h"

using namespace tutti::interpreter;
using llvm::ArrayRef;
using llvm::SmallVector;

/// The indices of element `place` in row-major order.
static SmallVector<int64_t> indicesOf(int64_t place, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> indices(shape.size());
  for (int64_t i = int64_t(shape.size()) - 1; i >= 0; --i) {
    indices[i] = place % shape[i];
    place /= shape[i];
  }
  return indices;
}

Windows::Windows(ArrayRef<int64_t> in, ArrayRef<int64_t> out, ArrayRef<int64_t> kernel,
                 ArrayRef<int64_t> strides, ArrayRef<int64_t> padsBegin,
                 ArrayRef<int64_t> dilations)
    : inputs(Tensor::countElements(in)), outputs(Tensor::countElements(out)),
      size(Tensor::countElements(kernel)) {
  for (int64_t output = 0; output < outputs; ++output) {
    first.push_back(contacts.size());
    SmallVector<int64_t> at = indicesOf(output, out);
    for (int64_t element = 0; element < size; ++element) {
      SmallVector<int64_t> within = indicesOf(element, kernel);
      int64_t place = 0;
      bool isInside = true;
      for (size_t i = 0; i < in.size(); ++i) {
        int64_t index = at[i] * strides[i] - padsBegin[i] + within[i] * dilations[i];
        isInside &= index >= 0 && index < in[i];
        place = place * in[i] + index;
      }
      if (isInside)
        contacts.push_back({place, element});
    }
  }
  first.push_back(contacts.size());
}

std::optional<int64_t> Windows::findLargest(int64_t output, const uint64_t *plane) const {
  std::optional<int64_t> largest;
  for (const Contact &contact : contactsOf(output))
    if (!largest || field::isLess(plane[*largest], plane[contact.input]))
      largest = contact.input;
  return largest;
}
