// Tensors as the interpreter keeps them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_INTERPRETER_TENSOR_H
#define TUTTI_LIB_INTERPRETER_TENSOR_H

#include "lib/interpreter/Field.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <vector>

namespace tutti::interpreter {

/// Elements in row-major order. Those of float types are numbers of the field, those of integer
/// types are integers of 64 bits, extended by their sign (those of one bit by zeros).
struct Tensor {
  Tensor() = default;
  explicit Tensor(llvm::ArrayRef<int64_t> shape)
      : shape(shape), elements(countElements(shape), 0) {}
  Tensor(llvm::ArrayRef<int64_t> shape, std::vector<uint64_t> elements)
      : shape(shape), elements(std::move(elements)) {}

  static int64_t countElements(llvm::ArrayRef<int64_t> shape) {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    return count;
  }
  int64_t size() const { return elements.size(); }

  llvm::SmallVector<int64_t> shape;
  std::vector<uint64_t> elements;
};

/// Tensors are values: what shares one does not change it. A scalar is a tensor of rank 0.
using TensorRef = std::shared_ptr<const Tensor>;

inline TensorRef makeTensor(Tensor tensor) { return std::make_shared<Tensor>(std::move(tensor)); }
inline TensorRef makeScalar(uint64_t value) { return makeTensor(Tensor({}, {value})); }

/// How many elements apart neighbours along each dimension are.
inline llvm::SmallVector<int64_t> stridesOf(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

/// The part of `whole` at `offsets`, every `strides`-th entry, of the given sizes.
Tensor extractPart(const Tensor &whole, llvm::ArrayRef<int64_t> offsets,
                   llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides);
/// Writes `part`, row-major elements of those sizes, there.
void insertPart(const Tensor &part, Tensor &whole, llvm::ArrayRef<int64_t> offsets,
                llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides);

/// The tensors joined along `axis`; there is at least one.
Tensor joinAlong(llvm::ArrayRef<TensorRef> parts, int64_t axis);
/// Part `index` of `count` equal parts along `axis`.
Tensor cutAlong(const Tensor &whole, int64_t axis, int64_t index, int64_t count);
/// The entries of `whole` along `axis` that `entries` names.
Tensor pickAlong(const Tensor &whole, int64_t axis, llvm::ArrayRef<int64_t> entries);

} // namespace tutti::interpreter

#endif // TUTTI_LIB_INTERPRETER_TENSOR_H
