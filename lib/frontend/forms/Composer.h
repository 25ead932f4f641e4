// Builds the operations that one node is expressed by.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_FORMS_COMPOSER_H
#define TUTTI_LIB_FRONTEND_FORMS_COMPOSER_H

#include "lib/frontend/forms/OpsetForms.h"

#include "dialects/onnx/Onnx.h"

#include "mlir/IR/TypeUtilities.h"

#include <numeric>

namespace tutti::frontend {

/// The type of a value that has a rank.
inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// `create` gives the result of a new operation, or null after a diagnostic or for an operand that
/// is null, so that a chain of them need be checked at its end only.
class Composer {
public:
  Composer(const ImportedNode &node, FormContext &context) : node(node), builder(context.builder) {}

  using Attributes = std::initializer_list<std::pair<llvm::StringRef, mlir::Attribute>>;

  mlir::Value create(llvm::StringRef op, llvm::ArrayRef<mlir::Value> operands,
                     Attributes attributes = {}) {
    mlir::NamedAttrList list;
    for (auto [name, attribute] : attributes)
      list.set(name, attribute);
    return create(op, operands, list);
  }
  mlir::Value create(llvm::StringRef op, llvm::ArrayRef<mlir::Value> operands,
                     const mlir::NamedAttrList &attributes) {
    if (llvm::is_contained(operands, mlir::Value()))
      return nullptr;
    mlir::Operation *created = createInferred(builder, node.location, op, operands, attributes);
    return created ? created->getResult(0) : mlir::Value();
  }

  mlir::Attribute integer(int64_t value) { return builder.getI64IntegerAttr(value); }
  mlir::Attribute integers(llvm::ArrayRef<int64_t> values) {
    return builder.getDenseI64ArrayAttr(values);
  }
  /// A scalar constant.
  mlir::Value number(mlir::Type element, double value) {
    mlir::Attribute content =
        mlir::isa<mlir::FloatType>(element)
            ? mlir::Attribute(mlir::FloatAttr::get(element, value))
            : mlir::Attribute(mlir::IntegerAttr::get(element, static_cast<int64_t>(value)));
    return tutti::onnx::ConstantOp::create(
        builder, node.location,
        mlir::DenseElementsAttr::get(mlir::RankedTensorType::get({}, element), content));
  }
  /// 0, 1, ..., shaped so that it lies along a dimension with `after` others after it.
  mlir::Value countAlong(int64_t size, int64_t after) {
    llvm::SmallVector<int64_t> numbers(size);
    std::iota(numbers.begin(), numbers.end(), 0);
    return integersAlong(numbers, after);
  }
  /// As many along dimension `axis` of `like`, whose size may vary.
  mlir::Value countOf(mlir::Value like, int64_t axis, int64_t after) {
    if (!like)
      return nullptr;
    auto type = mlir::cast<mlir::RankedTensorType>(like.getType());
    if (!type.isDynamicDim(axis))
      return countAlong(type.getDimSize(axis), after);
    mlir::Value ones = create("Expand", {integersAlong({1}, 0), like},
                              {{"shape", integers(-1)}, {"axis", integer(axis)}});
    mlir::Value count = create("CumSum", ones, {{"axis", integer(0)}, {"exclusive", integer(1)}});
    if (after == 0)
      return count;
    return create("Unsqueeze", count,
                  {{"axes", integers(llvm::to_vector(llvm::seq<int64_t>(1, after + 1)))}});
  }
  mlir::Value integersAlong(llvm::ArrayRef<int64_t> numbers, int64_t after) {
    llvm::SmallVector<int64_t> shape(after + 1, 1);
    shape[0] = static_cast<int64_t>(numbers.size());
    auto type = mlir::RankedTensorType::get(shape, builder.getI64Type());
    return tutti::onnx::ConstantOp::create(builder, node.location,
                                           mlir::DenseElementsAttr::get(type, numbers));
  }
  /// Floats that lie along a dimension with `after` others after it.
  mlir::Value numbersAlong(mlir::Type element, llvm::ArrayRef<double> numbers, int64_t after) {
    llvm::SmallVector<int64_t> shape(after + 1, 1);
    shape[0] = static_cast<int64_t>(numbers.size());
    llvm::SmallVector<mlir::Attribute> content;
    for (double number : numbers)
      content.push_back(mlir::FloatAttr::get(element, number));
    return tutti::onnx::ConstantOp::create(
        builder, node.location,
        mlir::DenseElementsAttr::get(mlir::RankedTensorType::get(shape, element), content));
  }
  mlir::Value cast(mlir::Value value, mlir::Type element) {
    if (!value || mlir::getElementTypeOrSelf(value.getType()) == element)
      return value;
    return create("Cast", value, {{"to", mlir::TypeAttr::get(element)}});
  }

  const ImportedNode &node;
  mlir::OpBuilder &builder;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_FORMS_COMPOSER_H
