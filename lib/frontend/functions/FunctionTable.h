// The operators that this importer knows as formulas of others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_FUNCTIONS_FUNCTIONTABLE_H
#define TUTTI_LIB_FRONTEND_FUNCTIONS_FUNCTIONTABLE_H

#include "lib/frontend/functions/Formula.h"

namespace tutti::frontend {

/// The texts of all rows, in the form that readFormula reads. Of the rows for one operator the
/// first that is for a node counts.
llvm::ArrayRef<llvm::StringRef> textsOfFormulas();

/// The row for `node` of operator set `opset`, or null. The rows live as long as the process.
const Formula *findFormula(const proto::NodeProto &node, int64_t opset);

/// Whether there are rows for the operator, be it in other forms.
bool hasFormulas(llvm::StringRef domain, llvm::StringRef op);

/// The domain of operators that only rows use, and that the importer evaluates itself:
///
/// | operator | result |
/// | --- | --- |
/// | `Widen(X)` | X, in f32 if it has 16 bits |
/// | `SumTo(G, X)` | G summed over the dimensions in which X was repeated to get the shape of G |
/// | `TransposeLast(X)` | X with its last two dimensions exchanged |
inline constexpr llvm::StringLiteral formulaDomain = "tutti";

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_FUNCTIONS_FUNCTIONTABLE_H
