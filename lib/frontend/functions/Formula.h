// Operators that are written as formulas of other operators.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_FUNCTIONS_FORMULA_H
#define TUTTI_LIB_FRONTEND_FUNCTIONS_FORMULA_H

#include "lib/frontend/model/ModelFile.h"

#include "llvm/Support/Error.h"

namespace tutti::frontend {

/// One operator, or one form of it, with the body that its text says.
struct Formula {
  std::string domain, op;
  std::vector<bool> requiresInput;             ///< of each that there may be, which the body has
  int64_t oldestOpset = 0;                     ///< of a node that the formula is for
  std::vector<proto::AttributeProto> defaults; ///< attributes and their values where none is given
  std::vector<std::string> withoutDefault;     ///< attributes that a node must have
  bool handsAllOn = false;                     ///< a node may have any attribute
  std::vector<proto::AttributeProto> conditions; ///< values that attributes must have
  proto::FunctionProto body;

  /// Whether the formula says what `node`, of operator set `opset`, computes.
  bool isFor(const proto::NodeProto &node, int64_t opset) const;

  /// The body, with a name for each tensor that `node` has in the place of a list.
  proto::FunctionProto bodyFor(const proto::NodeProto &node) const;
};

/// The name of a reference that stands for all attributes of the calling node.
inline constexpr llvm::StringLiteral allAttributes = "*";

/// Reads `text`:
///
///     com.microsoft.QuickGelu<alpha = 1.702>(X) -> (Y) { Y = X * Sigmoid(X * @alpha) }
///
/// The head names the operator, its attributes with their defaults (those without one must be
/// given), its inputs (`?` after each that may be absent) and its outputs; the last ones may be a
/// list of one or more, `X...`, that the body hands on under this name. `when` and conditions
/// may follow: `opset >= 21`, `approximate = "tanh"`. The body is a list of statements `A, B =
/// formula`. A formula is made of names, `+ - * /`, calls `Op<axis = 1>(X)`, and constants: a
/// number with a point or an exponent is a scalar of the type of the first input, one without is an
/// int64 scalar, `[1, 2]` an int64 vector, and `@name` the value of an attribute; `<axis = @axis>`
/// hands an attribute on, `<*>` all that the node has. Within CastLike constants have no type yet.
/// `none` is an absent operand. The error says where the text is wrong.
llvm::Expected<Formula> readFormula(llvm::StringRef text);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_FUNCTIONS_FORMULA_H
