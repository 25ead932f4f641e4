// Roles erased, MPI started and ended, its implementation named.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/conversion/mpi/Standalone.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

static bool isOurs(StringRef dialect) {
  return llvm::is_contained({"collective", "train", "ps", "kernel", "onnx"}, dialect);
}

static bool isOurs(NamedAttribute attribute) {
  return isOurs(attribute.getName().getValue().split('.').first);
}

/// The attributes of `dictionary`, which may be null, that upstream knows.
static DictionaryAttr withoutOurs(MLIRContext *context, DictionaryAttr dictionary) {
  SmallVector<NamedAttribute> kept;
  if (dictionary)
    llvm::copy_if(dictionary, std::back_inserter(kept),
                  [](NamedAttribute attribute) { return !isOurs(attribute); });
  return DictionaryAttr::get(context, kept);
}

static void eraseAttributes(Operation *op) {
  MLIRContext *context = op->getContext();
  op->setDiscardableAttrs(withoutOurs(context, op->getDiscardableAttrDictionary()));
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.setArgAttrs(i, withoutOurs(context, function.getArgAttrDict(i)));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    function.setResultAttrs(i, withoutOurs(context, function.getResultAttrDict(i)));
}

/// Whether `op` declares something by name, and holds no code.
static bool isDeclaration(Operation *op) {
  return isa<SymbolOpInterface>(op) && op->getNumRegions() == 0;
}

LogicalResult tutti::conversion::eraseRoles(ModuleOp module) {
  module.walk([](Operation *op) { eraseAttributes(op); });
  WalkResult walked =
      module.walk([](Operation *op) {
        if (!isOurs(op->getName().getDialectNamespace()))
          return WalkResult::advance();
        if (isDeclaration(op)) {
          op->erase();
          return WalkResult::skip();
        }
        mlir::emitError(op->getLoc())
            << op->getName() << " is left, which upstream's tools do not know; lower the dialect "
            << op->getName().getDialectNamespace() << " before convert-collective-to-mpi";
        return WalkResult::interrupt();
      });
  return failure(walked.wasInterrupted());
}

/// More ranks than the program is for would each compute for themselves, and end well. Fewer are
/// found by MPI, at the first message to a rank that is not there.
static void checkRank(ImplicitLocOpBuilder &builder, int64_t ranks) {
  Value world = mpi::CommWorldOp::create(builder, mpi::CommType::get(builder.getContext()));
  Value rank = mpi::CommRankOp::create(builder, Type(), builder.getI32Type(), world).getRank();
  Value end = arith::ConstantIntOp::create(builder, ranks, 32);
  Value isBelow = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, rank, end);
  std::string message = "this program is for " + std::to_string(ranks) +
                        " ranks, and more were started; start as many, or specialise it again";
  cf::AssertOp::create(builder, isBelow, message);
}

void tutti::conversion::startAndEnd(func::FuncOp entry, std::optional<int64_t> ranks) {
  if (entry.walk([](mpi::InitOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return;
  ImplicitLocOpBuilder builder(entry.getLoc(), entry.getContext());
  builder.setInsertionPointToStart(&entry.getBody().front());
  mpi::InitOp::create(builder, Type());
  if (ranks)
    checkRank(builder, *ranks);
  entry.walk([&](func::ReturnOp end) {
    builder.setInsertionPoint(end);
    mpi::FinalizeOp::create(builder, Type());
  });
}

void tutti::conversion::chooseImplementation(ModuleOp module, StringRef implementation) {
  Builder builder(module.getContext());
  StringRef key = "MPI:Implementation", name = DLTIDialect::kMapAttrName;
  SmallVector<DataLayoutEntryInterface> entries;
  if (auto map = module->getAttrOfType<MapAttr>(name))
    llvm::copy_if(map.getEntries(), std::back_inserter(entries),
                  [&](DataLayoutEntryInterface entry) {
                    auto named = dyn_cast<StringAttr>(entry.getKey());
                    return !named || named.getValue() != key;
                  });
  entries.push_back(
      DataLayoutEntryAttr::get(builder.getStringAttr(key), builder.getStringAttr(implementation)));
  module->setAttr(name, MapAttr::get(module.getContext(), entries));
}
