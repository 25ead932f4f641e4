// Reading channels into marks, and writing marks as channels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/stablehlo/Channels.h"

#include "lib/stablehlo/Ops.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;

static constexpr StringLiteral kHandle = "channel_handle";
static constexpr StringLiteral kGlobalIds = "use_global_device_ids";
static constexpr StringLiteral kOwn = "channel_handle<handle = #, type = 1>";

bool stablehlo::hasGlobalIds(StringRef kind) {
  return kind == "all_reduce" || kind == "all_gather" || kind == "reduce_scatter";
}

/// What an operation of `kind` without a mark has.
static StringRef getOwnChannel(StringRef kind) {
  return hasGlobalIds(kind) ? StringRef(kOwn) : StringRef();
}

/// The number in the text of a channel handle; 0 if it has none.
static int64_t getNumberIn(StringRef text) {
  int64_t number = 0;
  text = text.split("handle = ").second;
  return text.consumeInteger(10, number) ? 0 : number;
}

/// The number of the channel of `op`; 0 if it has none.
static int64_t getNumber(Operation *op) { return getIntegerIn(op, kHandle, "handle").value_or(0); }

void stablehlo::markChannel(Operation *op, bool isShared, NamedAttrList &marks) {
  StringRef kind = getKind(op);
  std::string text = getText(op->getAttr(kHandle));
  int64_t number = getNumber(op);
  if (number > 0 && !isShared) {
    std::string digits = std::to_string(number);
    text.replace(text.find(digits), digits.size(), "#");
  }
  if (text != getOwnChannel(kind))
    marks.set(kChannel, StringAttr::get(op->getContext(), text));
  if (hasGlobalIds(kind) && !op->hasAttr(kGlobalIds))
    marks.set(kLocalIds, UnitAttr::get(op->getContext()));
}

bool stablehlo::isChannelShared(ModuleOp module) {
  llvm::DenseSet<int64_t> numbers;
  unsigned channels = 0;
  module.walk([&](Operation *op) {
    int64_t number = getKind(op).empty() ? 0 : getNumber(op);
    if (number > 0) {
      numbers.insert(number);
      ++channels;
    }
  });
  return channels > 1 && numbers.size() == 1;
}

Channels::Channels(ModuleOp module) {
  module.walk([&](Operation *op) {
    if (int64_t number = getKind(op).empty() ? 0 : getNumber(op); number > 0)
      kept.insert(number);
    if (auto mark = op->getAttrOfType<StringAttr>(kChannel))
      if (int64_t number = getNumberIn(mark.getValue()); number > 0)
        kept.insert(number);
  });
}

std::string Channels::takeNumber() {
  while (kept.contains(next))
    ++next;
  return std::to_string(next++);
}

void Channels::renew(Operation *op) {
  std::string text = getText(op->getAttr(kHandle));
  std::string digits = std::to_string(getNumber(op));
  if (getNumber(op) <= 0 || kept.contains(getNumber(op)))
    return;
  text.replace(text.find(digits), digits.size(), takeNumber());
  op->setAttr(kHandle, makeAttribute(op->getContext(), text));
}

void Channels::write(Builder &builder, StringRef kind, NamedAttrList &marks,
                     SmallVectorImpl<NamedAttribute> &attributes) {
  auto mark = dyn_cast_or_null<StringAttr>(marks.erase(kChannel));
  std::string text = (mark ? mark.getValue() : getOwnChannel(kind)).str();
  if (size_t at = text.find('#'); at != std::string::npos)
    text.replace(at, 1, takeNumber());
  if (!text.empty())
    attributes.push_back(builder.getNamedAttr(kHandle, makeAttribute(builder.getContext(), text)));
  if (!marks.erase(kLocalIds) && hasGlobalIds(kind))
    attributes.push_back(builder.getNamedAttr(kGlobalIds, builder.getUnitAttr()));
}
