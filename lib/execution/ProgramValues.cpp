// Finds the values of a program, and copies those that must not change.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/ProgramValues.h"

#include "lib/execution/files/Origins.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tutti::execution;

namespace {
/// A resource of a program.
struct Resource {
  ArrayRef<char> bytes;
  uint64_t alignment; ///< what its elements want
};
} // namespace

static llvm::StringMap<Resource> collectResources(ModuleOp module) {
  llvm::StringMap<Resource> resources;
  AttrTypeWalker walker;
  walker.addWalk([&](DenseResourceElementsAttr content) {
    if (AsmResourceBlob *blob = content.getRawHandle().getBlob()) {
      uint64_t bits = content.getElementType().isIntOrFloat()
                          ? content.getElementType().getIntOrFloatBitWidth()
                          : 64;
      resources[content.getRawHandle().getKey()] = {blob->getData(), llvm::divideCeil(bits, 8)};
    }
  });
  module.walk([&](Operation *op) { walker.walk(op->getAttrDictionary()); });
  return resources;
}

/// The values that the manifest lists: whether all uses of each are initial.
static llvm::Expected<std::map<std::string, bool>> readNames(llvm::StringRef manifest) {
  auto parsed = llvm::json::parse(manifest);
  if (!parsed)
    return parsed.takeError();
  std::map<std::string, bool> names;
  const llvm::json::Object *object = parsed->getAsObject();
  if (const llvm::json::Array *values = object ? object->getArray("values") : nullptr)
    for (const llvm::json::Value &value : *values) {
      const llvm::json::Object &entry = *value.getAsObject();
      auto [name, isNew] = names.try_emplace(entry.getString("name")->str(), true);
      name->second &= *entry.getBoolean("initial");
    }
  return names;
}

namespace {
/// Contents for one file, each at a multiple of what the runtime aligns buffers to.
struct Copies {
  static constexpr uint64_t alignment = 64;
  std::vector<llvm::StringRef> parts;
  uint64_t end = 0;

  uint64_t add(ArrayRef<char> bytes) {
    static constexpr char padding[alignment] = {};
    uint64_t begin = llvm::alignTo(end, alignment);
    parts.emplace_back(padding, begin - end);
    parts.emplace_back(bytes.data(), bytes.size());
    end = begin + bytes.size();
    return begin;
  }
};
} // namespace

/// A value that is to have a place.
struct ProgramValues::Wanted {
  std::string name;
  ArrayRef<char> bytes;
  uint64_t alignment; ///< what its elements want
  bool mayStay;       ///< in the file that it comes from
};

llvm::Expected<ProgramValues> ProgramValues::place(llvm::ArrayRef<Wanted> wanted) {
  ProgramValues values;
  Origins origins;
  Copies copied;
  std::vector<ValuePlace *> places;
  for (const auto &[name, bytes, alignment, mayStay] : wanted) {
    std::optional<Origin> origin;
    if (mayStay && reinterpret_cast<uintptr_t>(bytes.data()) % alignment == 0)
      origin = origins.find(bytes);
    ValuePlace &place = values.placeOf[name];
    place.offset = origin ? origin->offset : copied.add(bytes);
    if (origin) {
      place.path = pathOf(*origin->file);
      values.files.push_back(origin->file);
    } else {
      places.push_back(&place);
    }
  }
  if (places.empty())
    return values;
  auto file = MemoryFile::create(copied.parts, "the values of the program");
  if (!file)
    return file.takeError();
  values.copies = *file;
  for (ValuePlace *place : places)
    place->path = values.copies->path();
  return values;
}

llvm::Expected<ProgramValues> ProgramValues::find(llvm::StringRef manifest, ModuleOp module) {
  auto names = readNames(manifest);
  if (!names || names->empty())
    return names ? llvm::Expected<ProgramValues>(ProgramValues()) : names.takeError();
  llvm::StringMap<Resource> resources = collectResources(module);
  std::vector<Wanted> wanted;
  for (const auto &[name, isInitial] : *names) {
    auto resource = resources.find(name);
    if (resource == resources.end())
      return llvm::createStringError("the compiled program wants the value '" + name +
                                     "', which the program that it was made of does not have");
    wanted.push_back({name, resource->second.bytes, resource->second.alignment, isInitial});
  }
  return place(wanted);
}

llvm::Expected<ProgramValues> ProgramValues::place(llvm::StringRef name, ElementsAttr values) {
  uint64_t alignment = llvm::divideCeil(values.getElementType().getIntOrFloatBitWidth(), 8);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(values))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return place(Wanted{name.str(), blob->getData(), alignment, /*mayStay=*/true});
  auto dense = dyn_cast<DenseElementsAttr>(values);
  if (!dense || dense.isSplat() || dense.getElementType().isInteger(1))
    return llvm::createStringError("the values of '" + name + "' are not there");
  return place(Wanted{name.str(), dense.getRawData(), alignment, /*mayStay=*/false});
}
