// Products of sizes of groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ranks/ScaleFactor.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace tutti;

/// Numbers of a program come from folding in 16-bit floats too.
static bool isAboutOne(double value) { return std::fabs(value - 1) < 1.0 / 128; }

ScaleFactor ScaleFactor::ofNumber(double value) {
  ScaleFactor factor;
  factor.number = std::fabs(value);
  return factor;
}

/// What stands for the number of ranks of a node, in groups of any dialect.
static Attribute keyOfNode(MLIRContext *context) { return StringAttr::get(context, "node"); }

static Attribute keyOf(GroupOpInterface group) {
  if (group.isOfWholeWorld())
    return UnitAttr::get(group.getContext());
  if (group.getGroupForm().kind == GroupForm::PerNode)
    return keyOfNode(group.getContext());
  return group.getDivision();
}

ScaleFactor ScaleFactor::ofSize(GroupOpInterface group) {
  ScaleFactor factor;
  Attribute key = keyOf(group);
  std::optional<int64_t> ranks =
      group.isOfWholeWorld() ? findWorldSizeAt(group) : group.getSizeOfSets();
  factor.sizes.push_back({key, 2, ranks.value_or(0)});
  return factor;
}

ScaleFactor ScaleFactor::ofWorld(Operation *op) {
  ScaleFactor factor;
  factor.sizes.push_back(
      {UnitAttr::get(op->getContext()), 2, collective::lookupWorldSize(op).value_or(0)});
  return factor;
}

ScaleFactor ScaleFactor::ofLocalSize(MLIRContext *context) {
  ScaleFactor factor;
  factor.sizes.push_back({keyOfNode(context), 2, 0});
  return factor;
}

ScaleFactor ScaleFactor::operator*(const ScaleFactor &other) const {
  ScaleFactor product = *this;
  product.number *= other.number;
  for (const Size &size : other.sizes) {
    Size *known =
        llvm::find_if(product.sizes, [&](const Size &own) { return own.members == size.members; });
    if (known == product.sizes.end())
      product.sizes.push_back(size);
    else
      known->halves += size.halves;
  }
  llvm::erase_if(product.sizes, [](const Size &size) { return size.halves == 0; });
  return product;
}

ScaleFactor ScaleFactor::toPower(int halves) const {
  ScaleFactor power = *this;
  power.number = std::pow(number, halves / 2.0);
  for (Size &size : power.sizes)
    size.halves = size.halves * halves / 2;
  return power;
}

ScaleFactor ScaleFactor::withoutNumber() const {
  ScaleFactor factor = *this;
  factor.number = 1;
  return factor;
}

bool ScaleFactor::isNumberOne() const { return isAboutOne(number); }

std::optional<double> ScaleFactor::evaluateSizes() const {
  double product = 1;
  for (const Size &size : sizes) {
    if (size.ranks == 0)
      return std::nullopt;
    product *= std::pow(static_cast<double>(size.ranks), size.halves / 2.0);
  }
  return product;
}

bool ScaleFactor::hasNoSizes() const {
  std::optional<double> product = evaluateSizes();
  return product && isAboutOne(*product);
}

bool ScaleFactor::isAbout(double value) const { return hasNoSizes() && isAboutOne(number / value); }

bool ScaleFactor::cancels() const {
  std::optional<double> product = evaluateSizes();
  return product && isAboutOne(*product * number);
}

bool ScaleFactor::hasEqualSizes(const ScaleFactor &other) const {
  return (withoutNumber() * other.withoutNumber().inverse()).hasNoSizes();
}

static std::string spell(double number) {
  if (std::fabs(number - std::round(number)) < 1e-6)
    return std::to_string(std::llround(number));
  return llvm::formatv("{0:F3}", number).str();
}

std::string ScaleFactor::spellSizes() const {
  if (std::optional<double> product = evaluateSizes())
    return *product >= 1 ? spell(*product) : "1/" + spell(1 / *product);
  std::string above, below;
  for (const Size &size : sizes) {
    std::string name = isa<UnitAttr>(size.members) ? "N" : "the size of a group";
    int power = std::abs(size.halves);
    if (power != 2)
      name += power % 2 ? llvm::formatv("^({0}/2)", power).str()
                        : llvm::formatv("^{0}", power / 2).str();
    std::string &side = size.halves > 0 ? above : below;
    side += (side.empty() ? "" : " * ") + name;
  }
  if (below.empty())
    return above;
  return (above.empty() ? "1" : above) + "/" + below;
}
