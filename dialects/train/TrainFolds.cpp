// Folds of the train dialect's operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/train/Train.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti::train;

OpFoldResult ScaleOp::fold(FoldAdaptor) {
  return matchPattern(getFactor(), m_OneFloat()) ? getInput() : Value();
}

/// The number of ranks among which each batch is divided equally; none if it is unknown or they
/// differ.
static std::optional<int64_t> getEqualParts(DatasetOp dataset) {
  if (!dataset.getShard())
    return 1;
  int64_t ranks = dataset.getShard()->getRanks();
  if (ranks == 0)
    return std::nullopt;
  bool maybeUnequal = dataset.getShard()->getPolicy() == BatchPolicy::Weighted && ranks > 1;
  if (maybeUnequal && (!dataset.getGlobalBatch() || *dataset.getGlobalBatch() % ranks != 0))
    return std::nullopt;
  return ranks;
}

OpFoldResult BatchWeightOp::fold(FoldAdaptor) {
  auto dataset = SymbolTable::lookupNearestSymbolFrom<DatasetOp>(*this, getDatasetAttr());
  std::optional<int64_t> parts = dataset ? getEqualParts(dataset) : std::nullopt;
  if (!parts)
    return {};
  auto type = cast<RankedTensorType>(getResult().getType());
  return DenseElementsAttr::get(type, FloatAttr::get(type.getElementType(), 1.0 / *parts));
}
