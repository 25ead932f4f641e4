// Checks programs by the dialects of what they hold.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/ProgramVocabulary.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tutti::frontend;

/// They compute on tensors. `builtin` has modules, types and attributes.
static constexpr StringRef kDialects[] = {"arith",  "builtin", "collective", "func",
                                          "linalg", "math",    "onnx",       "ps",
                                          "scf",    "tensor",  "train",      "ub"};

static bool isKnown(StringRef dialect) { return llvm::is_contained(kDialects, dialect); }

static InFlightDiagnostic refuse(Operation *op, const Twine &what) {
  InFlightDiagnostic error = mlir::emitError(op->getLoc()) << what;
  error << "; a program that is run holds operations of ";
  llvm::interleaveComma(ArrayRef<StringRef>(kDialects), error);
  return error;
}

/// The dialect of the first type or attribute within `attribute` that is of none of them.
template <typename Part> static std::optional<StringRef> foreignDialect(Part part) {
  std::optional<StringRef> foreign;
  AttrTypeWalker walker;
  auto look = [&](auto found) {
    if (isKnown(found.getDialect().getNamespace()))
      return WalkResult::advance();
    foreign = found.getDialect().getNamespace();
    return WalkResult::interrupt();
  };
  walker.addWalk([&](Type type) { return look(type); });
  walker.addWalk([&](Attribute attribute) { return look(attribute); });
  walker.walk(part);
  return foreign;
}

static LogicalResult verifyTypes(Operation *op, TypeRange types) {
  for (Type type : types)
    if (std::optional<StringRef> dialect = foreignDialect(type))
      return refuse(op, Twine("'") + op->getName().getStringRef() +
                            "' has a value of a type of the dialect '" + *dialect + "'");
  return success();
}

/// An attribute such as `llvm.linkage` is an instruction to the dialect that its name begins with.
static LogicalResult verifyAttribute(Operation *op, NamedAttribute attribute) {
  auto [dialect, rest] = attribute.getName().getValue().split('.');
  std::optional<StringRef> foreign =
      !rest.empty() && !isKnown(dialect) ? dialect : foreignDialect(attribute.getValue());
  if (!foreign)
    return success();
  return refuse(op, Twine("'") + op->getName().getStringRef() + "' has the attribute '" +
                        attribute.getName().getValue() + "', which is of the dialect '" + *foreign +
                        "'");
}

/// Lowering adds functions of these names, and calls them.
static LogicalResult verifyName(Operation *op) {
  auto symbol = dyn_cast<SymbolOpInterface>(op);
  if (!symbol || !symbol.getNameAttr() || !symbol.getName().starts_with("tutti_"))
    return success();
  return mlir::emitError(op->getLoc())
         << "@" << symbol.getName() << " must not begin with 'tutti_': the names of the runtime do";
}

static LogicalResult verifyOperation(Operation *op) {
  if (!isKnown(op->getName().getDialectNamespace()) || isa<UnrealizedConversionCastOp>(op))
    return refuse(op, Twine("'") + op->getName().getStringRef() +
                          "' cannot be in a program that is run");
  if (auto function = dyn_cast<FunctionOpInterface>(op); function && function.isExternal())
    return mlir::emitError(op->getLoc())
           << "@" << function.getName()
           << " has no body; a program brings all functions that it calls";
  if (failed(verifyName(op)) || failed(verifyTypes(op, op->getResultTypes())))
    return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(verifyTypes(op, block.getArgumentTypes())))
        return failure();
  for (NamedAttribute attribute : op->getAttrs())
    if (failed(verifyAttribute(op, attribute)))
      return failure();
  return success();
}

/// Names in dictionaries of arguments and results count like names of attributes.
static LogicalResult verifyRoles(FunctionOpInterface function) {
  auto verifyAll = [&](ArrayAttr dictionaries) {
    return llvm::all_of(
        dictionaries ? dictionaries.getValue() : ArrayRef<Attribute>(), [&](Attribute attributes) {
          return llvm::all_of(cast<DictionaryAttr>(attributes), [&](NamedAttribute attribute) {
            return succeeded(verifyAttribute(function, attribute));
          });
        });
  };
  return success(verifyAll(function.getArgAttrsAttr()) && verifyAll(function.getResAttrsAttr()));
}

LogicalResult tutti::frontend::verifyProgramVocabulary(ModuleOp module) {
  WalkResult walked = module.walk<WalkOrder::PreOrder>([](Operation *op) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    return WalkResult(
        failure(failed(verifyOperation(op)) || (function && failed(verifyRoles(function)))));
  });
  return failure(walked.wasInterrupted());
}
