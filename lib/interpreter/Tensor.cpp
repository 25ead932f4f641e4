// Parts of tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/interpreter/Tensor.h"

#include "llvm/ADT/STLFunctionalExtras.h"

using namespace tutti::interpreter;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Calls `visit` with the place in the whole of each element of a part, in the part's order.
static void visitPart(ArrayRef<int64_t> shape, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
                      ArrayRef<int64_t> strides, llvm::function_ref<void(int64_t)> visit) {
  SmallVector<int64_t> steps = stridesOf(shape), index(sizes.size(), 0);
  int64_t count = Tensor::countElements(sizes), place = 0;
  for (auto [i, step] : llvm::enumerate(steps)) {
    place += offsets[i] * step;
    step *= strides[i];
  }
  for (int64_t element = 0; element < count; ++element) {
    visit(place);
    for (int64_t i = int64_t(sizes.size()) - 1; i >= 0; --i) {
      place += steps[i];
      if (++index[i] < sizes[i])
        break;
      place -= steps[i] * sizes[i];
      index[i] = 0;
    }
  }
}

Tensor tutti::interpreter::extractPart(const Tensor &whole, ArrayRef<int64_t> offsets,
                                       ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  Tensor part(sizes);
  uint64_t *to = part.elements.data();
  visitPart(whole.shape, offsets, sizes, strides,
            [&](int64_t place) { *to++ = whole.elements[place]; });
  return part;
}

void tutti::interpreter::insertPart(const Tensor &part, Tensor &whole, ArrayRef<int64_t> offsets,
                                    ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  const uint64_t *from = part.elements.data();
  visitPart(whole.shape, offsets, sizes, strides,
            [&](int64_t place) { whole.elements[place] = *from++; });
}

Tensor tutti::interpreter::joinAlong(ArrayRef<TensorRef> parts, int64_t axis) {
  SmallVector<int64_t> shape(parts.front()->shape);
  shape[axis] = 0;
  for (const TensorRef &part : parts)
    shape[axis] += part->shape[axis];
  Tensor whole(shape);
  SmallVector<int64_t> offsets(shape.size(), 0), ones(shape.size(), 1);
  for (const TensorRef &part : parts) {
    insertPart(*part, whole, offsets, part->shape, ones);
    offsets[axis] += part->shape[axis];
  }
  return whole;
}

Tensor tutti::interpreter::cutAlong(const Tensor &whole, int64_t axis, int64_t index,
                                    int64_t count) {
  SmallVector<int64_t> sizes(whole.shape), offsets(sizes.size(), 0), ones(sizes.size(), 1);
  sizes[axis] /= count;
  offsets[axis] = index * sizes[axis];
  return extractPart(whole, offsets, sizes, ones);
}

Tensor tutti::interpreter::pickAlong(const Tensor &whole, int64_t axis, ArrayRef<int64_t> entries) {
  SmallVector<int64_t> sizes(whole.shape), offsets(sizes.size(), 0), ones(sizes.size(), 1);
  SmallVector<int64_t> shape(sizes);
  shape[axis] = entries.size();
  sizes[axis] = 1;
  Tensor picked(shape);
  for (auto [place, entry] : llvm::enumerate(entries)) {
    offsets[axis] = entry;
    Tensor part = extractPart(whole, offsets, sizes, ones);
    offsets[axis] = place;
    insertPart(part, picked, offsets, sizes, ones);
  }
  return picked;
}
