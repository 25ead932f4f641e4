// compress=f16|bf16: gradients travel as 16-bit floats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Contradiction.h"
#include "passes/strategies/Strategy.h"

#include "passes/communication/Passes.h"

using namespace tutti;
using namespace tutti::communication;
using namespace tutti::strategies;

namespace {
class Compression : public Strategy {
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

  std::optional<std::string> findConflict(const DistributeOptions &o) const override {
    Request none{"compress=none", o.compress == "none"};
    if (auto found = findContradiction({"error-feedback=true", o.errorFeedback.value_or(false)},
                                       none, "nothing is lost on the wire"))
      return found;
    int64_t least = o.compressMinBytes.value_or(0);
    return findContradiction(request("compress-min-bytes", least, least > 0), none,
                             "no gradient is narrowed");
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
const Strategy &strategies::compression = theCompression;
