// Tensors of tests, and their parts along a factor of a rule of sharding.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/layout/TensorParts.h"

using namespace tutti;
using namespace tutti::test;

FactorPlace::FactorPlace(mlir::RankedTensorType type, const TensorFactors &factors,
                         const ShardingRule &rule, unsigned factor)
    : type(type) {
  for (unsigned index = 0; index < factors.size(); ++index) {
    int64_t rest = type.getDimSize(index);
    for (unsigned each : factors[index]) {
      // One that stands alone may be of another size here: the window of a convolution slides.
      int64_t own = factors[index].size() == 1 ? rest : rule.factors[each].size;
      rest /= own;
      if (each != factor)
        continue;
      dimension = index;
      size = own;
      inner = rest;
    }
  }
}

mlir::RankedTensorType FactorPlace::partType(int64_t parts, int64_t more) const {
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[dimension] = shape[dimension] / parts + more;
  return mlir::RankedTensorType::get(shape, type.getElementType());
}

template <typename Visit>
void FactorPlace::visitPart(int64_t part, int64_t parts, Visit visit) const {
  int64_t after = 1;
  for (int64_t extent : type.getShape().drop_front(dimension + 1))
    after *= extent;
  for (int64_t flat = 0; flat < type.getNumElements(); ++flat) {
    int64_t index = flat / after % type.getDimSize(dimension), entry = index / inner % size;
    if (entry / (size / parts) == part)
      visit(flat);
  }
}

Numbers FactorPlace::cut(const Numbers &whole, int64_t part, int64_t parts) const {
  Numbers values;
  visitPart(part, parts, [&](int64_t flat) { values.push_back(whole[flat]); });
  return values;
}

void FactorPlace::put(const Numbers &values, Numbers &whole, int64_t part, int64_t parts) const {
  const double *next = values.data();
  visitPart(part, parts, [&](int64_t flat) { whole[flat] = *next++; });
}

Numbers FactorPlace::cutWithZeros(const Numbers &whole, int64_t part, int64_t parts) const {
  int64_t after = 1;
  for (int64_t extent : type.getShape().drop_front(dimension + 1))
    after *= extent;
  Numbers values = cut(whole, part, parts), padded;
  int64_t rows = size / parts * after;
  for (size_t at = 0; at < values.size(); at += rows) {
    padded.insert(padded.end(), values.begin() + at, values.begin() + at + rows);
    padded.insert(padded.end(), after, 0);
  }
  return padded;
}
