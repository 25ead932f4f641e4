// Einsum, expressed by transpositions, matrix products and sums.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/ComposedForms.h"
#include "lib/frontend/forms/Composer.h"
#include "lib/frontend/forms/EinsumEquation.h"

#include <map>
#include <optional>

using namespace mlir;
using namespace tutti::frontend;

namespace {

using Labels = EinsumLabels;

/// A tensor whose dimensions have labels.
struct Term {
  Value value;
  Labels labels;

  RankedTensorType type() const { return cast<RankedTensorType>(value.getType()); }
  bool has(int label) const { return llvm::is_contained(labels, label); }
  int64_t position(int label) const { return llvm::find(labels, label) - labels.begin(); }
  int64_t size(int label) const { return type().getDimSize(position(label)); }
};

/// What two terms have: labels of both that stay and that are summed over, and those of one.
struct Shares {
  Labels batch, summed, left, right;
};

/// Dimensions seen as matrices: any number of rows and columns, in a Reshape in which the sizes of
/// the dimensions in front are copied, and of the others one may vary.
struct Matrices {
  Labels outer, rows, columns;

  Labels order() const;
  bool isMerged() const { return rows.size() != 1 || columns.size() != 1; }
};

class Contraction {
public:
  Contraction(const ImportedNode &node, FormContext &context) : with(node, context) {}

  Value compute(const EinsumEquation &equation);

private:
  bool checkSizes(const EinsumEquation &equation);
  Term diagonal(Term term);
  /// Each of these gives a null value for a null value, and after a diagnostic.
  Term sumOver(Term term, llvm::function_ref<bool(int)> isDropped);
  Term arrange(Term term, const Labels &order);
  Term dropRepeated(Term term, const Term &other);
  Term multiply(Term a, Term b, llvm::function_ref<bool(int)> isNeeded);
  Term multiplyElements(const Term &a, const Term &b, const Shares &shares);
  /// None if more sizes vary than a Reshape can tell.
  std::optional<Term> multiplyMatrices(Term a, Term b, Shares shares);
  Value alignTo(const Term &term, const Labels &order);
  Value merge(const Term &term, const Matrices &matrices);
  Value reshape(Value value, size_t copied, ArrayRef<int64_t> sizes);

  Composer with;
};

} // namespace

static Labels join(std::initializer_list<Labels> parts) {
  Labels all;
  for (const Labels &part : parts)
    llvm::append_range(all, part);
  return all;
}

Labels Matrices::order() const { return join({outer, rows, columns}); }

/// Dimensions of size 1 repeat; all others of one label must be equal.
bool Contraction::checkSizes(const EinsumEquation &equation) {
  std::map<int, int64_t> sizes;
  for (auto [labels, operand] : llvm::zip_equal(equation.terms, with.node.operands))
    for (auto [label, size] :
         llvm::zip_equal(labels, cast<RankedTensorType>(operand.getType()).getShape())) {
      if (size == 1 || ShapedType::isDynamic(size))
        continue;
      auto [known, isNew] = sizes.try_emplace(label, size);
      if (isNew || known->second == size)
        continue;
      with.node.emitError() << "its dimensions '" << einsumLabelName(label) << "' have sizes "
                            << known->second << " and " << size;
      return false;
    }
  return true;
}

/// Of dimensions with one label, the elements whose indices are equal.
Term Contraction::diagonal(Term term) {
  for (int64_t second = 0; term.value && second < int64_t(term.labels.size()); ++second) {
    int64_t first = term.position(term.labels[second]);
    if (first == second)
      continue;
    RankedTensorType type = term.type();
    int64_t size = type.getDimSize(first), rank = type.getRank();
    if (ShapedType::isDynamic(size) || size != type.getDimSize(second)) {
      with.node.emitError() << "it takes the diagonal of dimensions " << first << " and " << second
                            << " of " << type << "; they must have one size that is known";
      return {};
    }
    Value isEqual = with.create("Equal", {with.countAlong(size, rank - 1 - first),
                                          with.countAlong(size, rank - 1 - second)});
    Value kept = with.create("Where", {isEqual, term.value, with.number(type.getElementType(), 0)});
    term.value = with.create("ReduceSum", kept,
                             {{"axes", with.integers(second)}, {"keepdims", with.integer(0)}});
    term.labels.erase(term.labels.begin() + second--);
  }
  return term;
}

Term Contraction::sumOver(Term term, llvm::function_ref<bool(int)> isDropped) {
  SmallVector<int64_t> axes;
  Labels kept;
  for (auto [dimension, label] : llvm::enumerate(term.labels)) {
    if (isDropped(label))
      axes.push_back(static_cast<int64_t>(dimension));
    else
      kept.push_back(label);
  }
  if (axes.empty())
    return term;
  return {with.create("ReduceSum", term.value,
                      {{"axes", with.integers(axes)}, {"keepdims", with.integer(0)}}),
          kept};
}

Term Contraction::arrange(Term term, const Labels &order) {
  if (!term.value || term.labels == order)
    return term;
  SmallVector<int64_t> permutation;
  for (int label : order)
    permutation.push_back(term.position(label));
  return {with.create("Transpose", term.value, {{"perm", with.integers(permutation)}}), order};
}

/// Dimensions of size 1 that the other term has more of need not be there.
Term Contraction::dropRepeated(Term term, const Term &other) {
  SmallVector<int64_t> axes;
  Labels kept;
  for (auto [dimension, label] : llvm::enumerate(term.labels)) {
    if (other.has(label) && term.size(label) == 1 && other.size(label) != 1)
      axes.push_back(static_cast<int64_t>(dimension));
    else
      kept.push_back(label);
  }
  if (axes.empty())
    return term;
  return {with.create("Squeeze", term.value, {{"axes", with.integers(axes)}}), kept};
}

static Shares shareLabels(const Term &a, const Term &b, llvm::function_ref<bool(int)> isNeeded) {
  Shares shares;
  for (int label : a.labels)
    (!b.has(label) ? shares.left : isNeeded(label) ? shares.batch : shares.summed).push_back(label);
  for (int label : b.labels)
    if (!a.has(label))
      shares.right.push_back(label);
  return shares;
}

Term Contraction::multiply(Term a, Term b, llvm::function_ref<bool(int)> isNeeded) {
  if (!a.value || !b.value)
    return {};
  Term left = dropRepeated(a, b), right = dropRepeated(b, a);
  left = sumOver(left, [&](int label) { return !isNeeded(label) && !right.has(label); });
  right = sumOver(right, [&](int label) { return !isNeeded(label) && !left.has(label); });
  if (!left.value || !right.value)
    return {};
  Shares shares = shareLabels(left, right, isNeeded);
  bool isProductOfMatrices =
      !shares.summed.empty() && !(shares.left.empty() && shares.right.empty());
  std::optional<Term> product;
  if (isProductOfMatrices)
    product = multiplyMatrices(left, right, shares);
  return product ? *product : multiplyElements(left, right, shares);
}

/// `term` with dimensions of size 1 for the labels of `order` that it does not have.
Value Contraction::alignTo(const Term &term, const Labels &order) {
  Labels own;
  SmallVector<int64_t> axes;
  for (auto [dimension, label] : llvm::enumerate(order)) {
    if (term.has(label))
      own.push_back(label);
    else if (!own.empty()) // those in front need not be there
      axes.push_back(static_cast<int64_t>(dimension));
  }
  int64_t front = int64_t(order.size() - own.size() - axes.size());
  for (int64_t &axis : axes)
    axis -= front;
  Value value = arrange(term, own).value;
  return axes.empty() ? value : with.create("Unsqueeze", value, {{"axes", with.integers(axes)}});
}

Term Contraction::multiplyElements(const Term &a, const Term &b, const Shares &shares) {
  Labels order = join({shares.batch, shares.left, shares.right, shares.summed});
  Term product = {with.create("Mul", {alignTo(a, order), alignTo(b, order)}), order};
  return sumOver(product, [&](int label) { return llvm::is_contained(shares.summed, label); });
}

/// The number of elements along `labels`; dynamic if one of them varies.
static int64_t productOf(const Term &term, const Labels &labels) {
  int64_t product = 1;
  for (int label : labels) {
    if (ShapedType::isDynamic(term.size(label)))
      return ShapedType::kDynamic;
    product *= term.size(label);
  }
  return product;
}

/// The sizes of the matrices that `term` becomes.
static SmallVector<int64_t> sizesOf(const Term &term, const Matrices &matrices) {
  return {productOf(term, matrices.rows), productOf(term, matrices.columns)};
}

static bool canReshape(ArrayRef<int64_t> sizes) {
  return llvm::count(sizes, ShapedType::kDynamic) <= 1;
}

/// To `copied` dimensions that stay, and others of `sizes`.
Value Contraction::reshape(Value value, size_t copied, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> shape(copied, 0);
  llvm::append_range(shape, sizes);
  llvm::replace(shape, ShapedType::kDynamic, int64_t(-1));
  return with.create("Reshape", value, {{"shape", with.integers(shape)}});
}

Value Contraction::merge(const Term &term, const Matrices &matrices) {
  Value value = arrange(term, matrices.order()).value;
  return matrices.isMerged() ? reshape(value, matrices.outer.size(), sizesOf(term, matrices))
                             : value;
}

std::optional<Term> Contraction::multiplyMatrices(Term a, Term b, Shares shares) {
  if (shares.batch.empty() && shares.right.size() > shares.left.size()) {
    std::swap(a, b);
    std::swap(shares.left, shares.right);
  }
  Matrices left{shares.batch, shares.left, shares.summed},
      right{shares.batch, shares.summed, shares.right};
  // Without a batch, the matrix on the right is repeated for all but the last rows of the left.
  if (shares.batch.empty() && shares.left.size() > 1) {
    left.outer = Labels(ArrayRef(shares.left).drop_back());
    left.rows = {shares.left.back()};
  }
  Matrices result{left.outer, left.rows, shares.right};
  SmallVector<int64_t> sizes;
  for (int label : join({result.rows, result.columns}))
    sizes.push_back((a.has(label) ? a : b).size(label));
  if ((left.isMerged() && !canReshape(sizesOf(a, left))) ||
      (right.isMerged() && !canReshape(sizesOf(b, right))) ||
      (result.isMerged() && !canReshape(sizes)))
    return std::nullopt;
  Value product = with.create("MatMul", {merge(a, left), merge(b, right)});
  if (result.isMerged())
    product = reshape(product, result.outer.size(), sizes);
  return Term{product, result.order()};
}

Value Contraction::compute(const EinsumEquation &equation) {
  if (!checkSizes(equation))
    return nullptr;
  SmallVector<Term> terms;
  for (auto [labels, operand] : llvm::zip_equal(equation.terms, with.node.operands)) {
    terms.push_back(diagonal({operand, labels}));
    if (!terms.back().value)
      return nullptr;
  }
  Term product = terms.front();
  for (size_t next = 1; next < terms.size(); ++next) {
    auto isNeeded = [&](int label) {
      return llvm::is_contained(equation.result, label) ||
             llvm::any_of(ArrayRef(terms).drop_front(next + 1),
                          [&](const Term &term) { return term.has(label); });
    };
    product = multiply(product, terms[next], isNeeded);
  }
  if (!product.value)
    return nullptr;
  auto isDropped = [&](int label) { return !llvm::is_contained(equation.result, label); };
  return arrange(sumOver(product, isDropped), equation.result).value;
}

LogicalResult tutti::frontend::composeEinsum(ImportedNode &node, FormContext &context,
                                             Results &results) {
  for (auto [index, operand] : llvm::enumerate(node.operands)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      return node.emitError() << "the shape of its input '" << node.inputName(int(index))
                              << "' is not known";
    if (!isa<FloatType>(type.getElementType()))
      return node.emitError() << "its input '" << node.inputName(int(index)) << "' is " << type
                              << "; floats can be compiled, so cast it";
  }
  FailureOr<EinsumEquation> equation = readEinsumEquation(node);
  if (failed(equation))
    return failure();
  results.push_back(Contraction(node, context).compute(*equation));
  return success(results.back() != nullptr);
}
