// One row for each kind of operator that exporters write and Tutti does not have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/UnknownOperators.h"

#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace tutti::frontend;

namespace {
struct Advice {
  StringRef domain;    ///< `ai.onnx` for that of the standard
  StringRef operators; ///< separated by blanks; empty for all of the domain
  StringRef text;
};
} // namespace

static constexpr Advice kAdvice[] = {
    {"org.pytorch.aten", "",
     "the exporter has no form of this function of PyTorch and handed it on; write it by functions "
     "of tensors that have one, and export again"},
    {"ai.onnx.ml", "",
     "end the graph at the scores: what comes after them looks up classes, and is not trained"},
    {"ai.onnx", "NonMaxSuppression Unique Multinomial",
     "no gradient passes through it; end the graph in front of it, at what the loss is about"},
    {"ai.onnx",
     "StringNormalizer StringConcat StringSplit RegexFullMatch TfIdfVectorizer LabelEncoder",
     "turn strings into numbers in front of the model"},
    {"ai.onnx", "SequenceErase SequenceMap Optional OptionalGetElement OptionalHasElement",
     "a sequence of tensors must be made by SplitToSequence, SequenceConstruct or SequenceInsert"},
};

static constexpr StringLiteral otherwise =
    "express it by operators that are (docs/frontend.md), as nodes or as a function of the model "
    "(ModelProto.functions)";

static StringRef adviceFor(StringRef domain, StringRef op) {
  for (const Advice &advice : kAdvice) {
    SmallVector<StringRef> operators;
    advice.operators.split(operators, ' ', -1, /*KeepEmpty=*/false);
    if (advice.domain == domain && (operators.empty() || llvm::is_contained(operators, op)))
      return advice.text;
  }
  return otherwise;
}

std::string tutti::frontend::describeUnknown(const proto::NodeProto &node, StringRef why) {
  StringRef domain = canonicalDomain(node.domain());
  domain = domain.empty() ? "ai.onnx" : domain;
  return ("operator '" + node.op_type() + "' of domain '" + domain + "' is not supported" + why +
          "; " + adviceFor(domain, node.op_type()))
      .str();
}
