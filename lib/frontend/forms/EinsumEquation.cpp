// Reads `...ij,...jk->...ik`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/EinsumEquation.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace tutti::frontend;

static constexpr StringLiteral ellipsis = "...";

std::string tutti::frontend::einsumLabelName(int label) {
  return label > 0 ? std::string(1, static_cast<char>(label)) : ellipsis.str();
}

namespace {

class EquationReader {
public:
  explicit EquationReader(const ImportedNode &node) : node(node) {
    auto attribute = dyn_cast_or_null<StringAttr>(node.attributes.get("equation"));
    given = attribute ? attribute.getValue() : StringRef();
    for (char c : given)
      if (c != ' ')
        text.push_back(c);
  }

  FailureOr<EinsumEquation> read() {
    auto [left, right] = StringRef(text).split("->");
    SmallVector<StringRef> terms;
    left.split(terms, ',');
    if (terms.size() != node.operands.size())
      return error() << "names " << terms.size() << " operands, but there are "
                     << node.operands.size();
    for (auto [term, operand] : llvm::zip_equal(terms, node.operands)) {
      int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
      if (failed(readTerm(term, rank, equation.terms.emplace_back())))
        return failure();
    }
    bool isExplicit = StringRef(text).contains("->");
    if (failed(isExplicit ? readResult(right) : inferResult()))
      return failure();
    return std::move(equation);
  }

private:
  InFlightDiagnostic error() const { return node.emitError() << "its equation '" << given << "' "; }

  /// The letters before and after the ellipsis.
  struct Parts {
    StringRef before, after;
    bool hasEllipsis;
  };

  FailureOr<Parts> split(StringRef term) const {
    size_t at = term.find(ellipsis);
    bool hasEllipsis = at != StringRef::npos;
    Parts parts{term.take_front(at), hasEllipsis ? term.substr(at + ellipsis.size()) : "",
                hasEllipsis};
    for (StringRef letters : {parts.before, parts.after})
      if (!llvm::all_of(letters, llvm::isAlpha))
        return error() << "has the term '" << term << "', which is not made of letters and one "
                       << "'...'";
    return parts;
  }

  void append(EinsumLabels &labels, const Parts &parts, int64_t dimensionsOfEllipsis) const {
    llvm::append_range(labels, parts.before);
    for (int64_t i = dimensionsOfEllipsis; i > 0; --i)
      labels.push_back(static_cast<int>(-i));
    llvm::append_range(labels, parts.after);
  }

  LogicalResult readTerm(StringRef term, int64_t rank, EinsumLabels &labels) {
    FailureOr<Parts> parts = split(term);
    if (failed(parts))
      return failure();
    auto letters = static_cast<int64_t>(parts->before.size() + parts->after.size());
    if (parts->hasEllipsis ? letters > rank : letters != rank)
      return error() << "has the term '" << term << "' for an operand of rank " << rank;
    append(labels, *parts, rank - letters);
    mostOfEllipsis = std::max(mostOfEllipsis, rank - letters);
    return success();
  }

  LogicalResult readResult(StringRef term) {
    FailureOr<Parts> parts = split(term);
    if (failed(parts))
      return failure();
    append(equation.result, *parts, parts->hasEllipsis ? mostOfEllipsis : 0);
    for (auto [index, label] : llvm::enumerate(equation.result)) {
      auto has = [label = label](const EinsumLabels &one) {
        return llvm::is_contained(one, label);
      };
      if (llvm::none_of(equation.terms, has))
        return error() << "has '" << einsumLabelName(label) << "' in its result only";
      if (llvm::is_contained(ArrayRef(equation.result).take_front(index), label))
        return error() << "has '" << einsumLabelName(label) << "' in its result twice";
    }
    return success();
  }

  /// Without an arrow: the ellipsis, and the letters that are there once, by the alphabet.
  LogicalResult inferResult() {
    append(equation.result, {"", "", true}, mostOfEllipsis);
    std::map<int, int> counts;
    for (const EinsumLabels &term : equation.terms)
      for (int label : term)
        ++counts[label];
    for (auto [label, count] : counts)
      if (label > 0 && count == 1)
        equation.result.push_back(label);
    return success();
  }

  const ImportedNode &node;
  StringRef given;
  std::string text; ///< without blanks
  int64_t mostOfEllipsis = 0;
  EinsumEquation equation;
};

} // namespace

FailureOr<EinsumEquation> tutti::frontend::readEinsumEquation(const ImportedNode &node) {
  return EquationReader(node).read();
}
