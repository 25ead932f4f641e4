// Numbers of tests in the memory of a program's tensor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_LIB_LAYOUT_TENSORMEMORY_H
#define TUTTI_TEST_LIB_LAYOUT_TENSORMEMORY_H

#include "test/lib/execution/TextProgram.h"
#include "test/lib/layout/TensorParts.h"

#include <algorithm>

namespace tutti::test {

template <typename T> void store(const Numbers &numbers, char *memory) {
  std::transform(numbers.begin(), numbers.end(), reinterpret_cast<T *>(memory),
                 [](double number) { return static_cast<T>(number); });
}

template <typename T> Numbers load(const char *memory, size_t count) {
  auto *values = reinterpret_cast<const T *>(memory);
  return Numbers(values, values + count);
}

/// The memory of a tensor as programs have it.
class TensorMemory {
public:
  explicit TensorMemory(mlir::RankedTensorType type)
      : type(type), bytes(std::max<size_t>(type.getNumElements(), 1) * sizeof(double)) {}

  void *data() { return bytes.data(); }
  void write(const Numbers &numbers) {
    mlir::Type element = type.getElementType();
    if (element.isF32())
      store<float>(numbers, bytes.data());
    else if (element.isF64())
      store<double>(numbers, bytes.data());
    else if (element.isInteger(64))
      store<int64_t>(numbers, bytes.data());
    else if (element.isInteger(32))
      store<int32_t>(numbers, bytes.data());
    else
      store<int8_t>(numbers, bytes.data()); // a truth
  }
  Numbers read() const {
    mlir::Type element = type.getElementType();
    size_t count = type.getNumElements();
    if (element.isF32())
      return load<float>(bytes.data(), count);
    if (element.isF64())
      return load<double>(bytes.data(), count);
    if (element.isInteger(64))
      return load<int64_t>(bytes.data(), count);
    if (element.isInteger(32))
      return load<int32_t>(bytes.data(), count);
    return load<int8_t>(bytes.data(), count);
  }

private:
  mlir::RankedTensorType type;
  Buffer<char> bytes;
};

} // namespace tutti::test

#endif // TUTTI_TEST_LIB_LAYOUT_TENSORMEMORY_H
