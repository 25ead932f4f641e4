// compress=f16|bf16: gradients travel as 16-bit floats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Strategy.h"

#include "passes/communication/Passes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tutti;
using namespace tutti::communication;
using namespace tutti::strategies;

namespace {
class Compression : public Strategy {
  Chapter getChapter() const override { return Chapter::Travel; }

  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    keys.addWord("compress", o.compress, {"none", "f16", "bf16"}, "Type of gradients on the wire")
        .deciding();
    keys.addCount("compress-min-bytes", o.compressMinBytes, 0, "Smaller gradients keep their type")
        .deciding()
        .byDefault("0");
    keys.addFlag("error-feedback", o.errorFeedback,
                 "Add what the wire type loses to the gradient of the next step")
        .deciding()
        .byDefault("false");
  }

  void addConflicts(ConflictTable &table) const override {
    table.exclude("error-feedback=true", {"compress=none"}, "nothing is lost on the wire");
  }

  Refusal findConflict(const DistributeOptions &o) const override {
    int64_t least = o.compressMinBytes.value_or(0);
    if (o.compress != "none" || least == 0)
      return {};
    return llvm::formatv(
               "compress=none conflicts with compress-min-bytes={0}: no gradient is narrowed",
               least)
        .str();
  }

  void addPasses(Sequence &sequence, const DistributeOptions &o) const override {
    if (o.compress == "none")
      return;
    CollectiveCompressPassOptions compress;
    compress.type = o.compress == "bf16" ? WireType::BF16 : WireType::F16;
    compress.minBytes = o.compressMinBytes.value_or(compress.minBytes);
    compress.errorFeedback = o.errorFeedback.value_or(compress.errorFeedback);
    sequence.add(Place::Compress, createCollectiveCompressPass, compress,
                 compress.errorFeedback ? Ranks::Known : Ranks::Any);
  }
};
} // namespace

static const Compression theCompression;
namespace tutti::strategies {
const Strategy &compression = theCompression;
} // namespace tutti::strategies
