// Reading rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/servers/FirstValues.h"

#include "mlir/IR/Builders.h"

#include <cmath>

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

static constexpr StringLiteral forms =
    "normal:MEAN:DEVIATION or uniform:FROM:TO, with GLOB: before "
    "it for tables of these names alone";

/// Splits off what comes after the last colon.
static StringRef popLast(StringRef &text) {
  auto [before, last] = text.rsplit(':');
  bool isWhole = before.size() == text.size();
  StringRef found = isWhole ? text : last;
  text = isWhole ? StringRef() : before;
  return found;
}

/// The attribute of `kind:first:second`; null if it breaks random_c1, or these are no numbers.
static ps::RandomAttr readRandom(MLIRContext *context, StringRef kind, StringRef first,
                                 StringRef second) {
  std::optional<ps::Distribution> distribution = ps::symbolizeDistribution(kind);
  double a, b;
  if (!distribution || first.getAsDouble(a) || second.getAsDouble(b) || !std::isfinite(a) ||
      !std::isfinite(b))
    return {};
  bool isRight = *distribution == ps::Distribution::Uniform ? a <= b : b >= 0;
  Builder builder(context);
  return isRight ? ps::RandomAttr::get(context, *distribution, builder.getF64FloatAttr(a),
                                       builder.getF64FloatAttr(b))
                 : ps::RandomAttr();
}

FailureOr<FirstValues> FirstValues::create(MLIRContext *context, ArrayRef<std::string> rules,
                                           ArrayRef<StringRef> names,
                                           options::NameGlobs::Complain complain) {
  FirstValues values;
  for (StringRef rule : rules) {
    StringRef glob = rule;
    StringRef second = popLast(glob), first = popLast(glob), kind = popLast(glob);
    ps::RandomAttr random = readRandom(context, kind, first, second);
    if (!random)
      return complain("serve-initial: '" + rule + "' is not " + forms +
                      ", with FROM not above TO and DEVIATION not negative");
    values.texts.push_back(glob.empty() ? "*" : glob.str());
    values.randoms.push_back(random);
  }
  if (rules.empty())
    return values;
  FailureOr<options::NameGlobs> globs =
      options::NameGlobs::create("serve-initial", "served variable", values.texts, names, complain);
  if (failed(globs))
    return failure();
  values.globs = std::move(*globs);
  return values;
}

ps::RandomAttr FirstValues::of(StringRef name) const {
  std::optional<unsigned> rule = globs ? globs->find(name) : std::nullopt;
  return rule ? randoms[*rule] : ps::RandomAttr();
}
