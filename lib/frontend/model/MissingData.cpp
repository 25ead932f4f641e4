// Resources without data, whose names say where the data is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/MissingData.h"

#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace mlir;
using namespace tutti::frontend;

static constexpr StringRef kMissing = "missing:";

DenseResourceElementsAttr tutti::frontend::makeMissingData(RankedTensorType type, StringRef file,
                                                           uint64_t offset) {
  auto &manager = DenseResourceElementsHandle::getManagerInterface(type.getContext());
  std::string name = (kMissing + Twine(offset) + ":" + file + ":").str(); // a number may follow
  return DenseResourceElementsAttr::get(type, manager.insert(name));
}

static bool isMissing(DenseResourceElementsAttr content) {
  return !content.getRawHandle().getBlob();
}

/// The file that the contents are in, or the resource's name if it is not ours.
static StringRef fileOf(DenseResourceElementsAttr content) {
  StringRef key = content.getRawHandle().getKey();
  return key.consume_front(kMissing) ? key.split(':').second.rsplit(':').first : key;
}

/// Bytes in a unit that leaves few digits.
static std::string formatBytes(double bytes) {
  static constexpr StringRef units[] = {"bytes", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < std::size(units); ++unit)
    bytes /= 1000;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(unit == 0 ? "%.0f " : "%.1f ", bytes)
                                 << units[unit];
  return text;
}

std::string tutti::frontend::describeMissingData(ArrayRef<DenseResourceElementsAttr> missing) {
  std::set<std::string> files;
  double bytes = 0;
  for (DenseResourceElementsAttr content : missing) {
    files.insert(fileOf(content).str());
    auto type = cast<RankedTensorType>(content.getType());
    Type element = type.getElementType();
    bytes += static_cast<double>(type.getNumElements()) *
             (element.isIntOrFloat() ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8) : 8);
  }
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "the data of " << missing.size() << (missing.size() == 1 ? " tensor (" : " tensors (")
      << formatBytes(bytes) << ") is missing: no file '" << *files.begin() << "'";
  if (files.size() > 1)
    out << ", nor " << files.size() - 1 << (files.size() == 2 ? " other" : " others") << ",";
  out << " lies beside the model";
  return text;
}

LogicalResult tutti::frontend::verifyHasData(ModuleOp module) {
  llvm::SetVector<DenseResourceElementsAttr> missing;
  module.walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      if (auto content = dyn_cast<DenseResourceElementsAttr>(attribute.getValue());
          content && isMissing(content))
        missing.insert(content);
  });
  if (missing.empty())
    return success();
  return emitError(module.getLoc()) << describeMissingData(missing.getArrayRef())
                                    << "; a run needs it: put the file there, as it was exported, "
                                       "and give the model again. Tables of servers need none with "
                                       "serve-initial";
}
