// Who is asked, in which order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/Trust.h"

#include "dialects/interfaces/Determinism.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/train/ValueRoles.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tutti;

/// Whether `module` declares the operations of this name, or their dialect.
static bool declares(ModuleOp module, OperationName name) {
  auto declared = module->getAttrOfType<ArrayAttr>(kDeterministic);
  return declared && llvm::any_of(declared.getAsRange<StringAttr>(), [&](StringAttr entry) {
           return entry.getValue() == name.getStringRef() ||
                  entry.getValue() == name.getDialectNamespace();
         });
}

bool tutti::isDeclaredDeterministic(Operation *op) {
  train::RandomAttr random = train::findRandom(op);
  if (op->hasAttr(kDeterministic) || random)
    return !random || !random.isPerRank();
  for (auto module = op->getParentOfType<ModuleOp>(); module;
       module = module->getParentOfType<ModuleOp>())
    if (declares(module, op->getName()))
      return true;
  return false;
}

DialectTrust tutti::getTrust(Operation *op) {
  DialectTrust trust = getDialectTrust(op->getName().getDialectNamespace());
  if (trust == DialectTrust::Deterministic)
    return trust;
  if (Dialect *dialect = op->getDialect())
    if (auto *answers = dialect->getRegisteredInterface<UniformityDialectInterface>())
      if (answers->isDeterministic(op))
        return DialectTrust::Deterministic;
  return isDeclaredDeterministic(op) ? DialectTrust::Deterministic : trust;
}

bool tutti::definesOrder(Operation *op) {
  if (op->hasTrait<OpTrait::SymbolTable>() || isa<CommunicationStartOpInterface>(op))
    return true;
  return isa<RegionBranchOpInterface>(op) &&
         !isa<scf::ParallelOp, scf::ForallOp, affine::AffineParallelOp>(op) &&
         getTrust(op) == DialectTrust::Deterministic;
}

Operation *tutti::findUndefinedOrder(Operation *op) {
  Operation *at = op->getParentOp();
  while (at && !isa<FunctionOpInterface>(at) && definesOrder(at))
    at = at->getParentOp();
  return at && !isa<FunctionOpInterface>(at) ? at : nullptr;
}
