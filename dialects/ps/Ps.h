// The ps dialect: tables that servers hold, and what workers exchange with them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PS_PS_H
#define TUTTI_PS_PS_H

#include "dialects/interfaces/TypeRefinement.h"
#include "dialects/interfaces/ranks/Uniformity.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tutti::ps {

/// The tables of the servers, as something that operations read and write.
struct TablesResource : mlir::SideEffects::Resource::Base<TablesResource> {
  llvm::StringRef getName() final { return "Tables"; }
};

} // namespace tutti::ps

#include "dialects/ps/PsDialect.h.inc"
#include "dialects/ps/PsEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/ps/PsAttributes.h.inc"

#define GET_OP_CLASSES
#include "dialects/ps/Ps.h.inc"

namespace tutti::ps {

/// What is pulled of `table`, which may be null: in step all workers see one table; out of step
/// each sees it at another time.
tutti::Uniformity getUniformityOfPull(TableOp table);

} // namespace tutti::ps

#endif // TUTTI_PS_PS_H
