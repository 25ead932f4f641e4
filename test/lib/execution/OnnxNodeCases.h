// Which of ONNX's published operator tests are refused, and why. All others pass.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_LIB_EXECUTION_ONNXNODECASES_H
#define TUTTI_TEST_LIB_EXECUTION_ONNXNODECASES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/GlobPattern.h"

#include <optional>
#include <string>

namespace tutti::test {

/// Cases, as a glob of their names, and what the error must hold.
struct RefusedCases {
  const char *pattern, *reason;

  bool hold(llvm::StringRef name) const {
    return llvm::cantFail(llvm::GlobPattern::create(pattern)).match(name);
  }
};

inline constexpr RefusedCases kRefusedCases[] = {
    // Operators that a training step has no use for, or that nobody has added yet.
    {"bitshift_*_uint8", "operator 'BitShift' of domain"},
    {"det_*", "operator 'Det' of domain"},
    {"dft*", "operator 'DFT' of domain"},
    {"maxunpool_*", "operator 'MaxUnpool' of domain"},
    {"melweightmatrix", "operator 'MelWeightMatrix' of domain"},
    {"nonmaxsuppression_*", "operator 'NonMaxSuppression' of domain"},
    {"stft*", "operator 'STFT' of domain"},
    {"tfidfvectorizer_*", "operator 'TfIdfVectorizer' of domain"},
    {"unique_*", "operator 'Unique' of domain"},
    // Types.
    {"bitshift_*_uint16", "which the runtime does not have"},
    {"bitshift_*_uint32", "which the runtime does not have"},
    {"bitshift_*_uint64", "which the runtime does not have"},
    {"max_uint16", "which the runtime does not have"},
    {"max_uint32", "which the runtime does not have"},
    {"max_uint64", "which the runtime does not have"},
    {"min_uint16", "which the runtime does not have"},
    {"min_uint32", "which the runtime does not have"},
    {"min_uint64", "which the runtime does not have"},
    {"mod_uint16", "which the runtime does not have"},
    {"mod_uint32", "which the runtime does not have"},
    {"mod_uint64", "which the runtime does not have"},
    {"pow_types_float32_uint*", "which the runtime does not have"},
    {"cast*_STRING*", "STRING"},
    {"strnormalizer_*", "STRING"},
    {"identity_opt", "is not a tensor"},
    {"identity_sequence", "is not a tensor"},
    {"loop13_seq", "is not a tensor"},
    {"loop16_seq_none", "is not a tensor"},
    {"optional_*", "is not a tensor"},
    {"sequence_*", "is not a tensor"},
    // What only the data of a run can tell.
    {"blackmanwindow*", "must be one constant number"},
    {"hammingwindow*", "must be one constant number"},
    {"hannwindow*", "must be one constant number"},
    {"if_seq", "is not known before the program runs"},
    {"if_opt", "is a type, which is not supported"},
    {"loop11", "is not known before the program runs; export it unrolled"},
    {"range_*_expanded", "is not known before the program runs; export it unrolled"},
    // Forms of operators that we have.
    {"scan_sum", "before operator set 9 a Scan has a batch of its own"},
};

/// What the error of a refused case must hold; null for the others.
inline const char *refusedBecause(llvm::StringRef name) {
  for (const RefusedCases &refused : kRefusedCases)
    if (refused.hold(name))
      return refused.reason;
  return nullptr;
}

/// How far the published floats may be from what is meant: some have four digits after the point.
inline double digitsOf(llvm::StringRef name) {
  if (name.contains("fp16"))
    return 2e-3; // numpy rounds each step to 16 bits
  bool isCutOff = name.starts_with("roialign") || name == "gridsample_bicubic";
  return isCutOff ? 1e-4 : 1e-6;
}

/// The share that a case of Dropout with random masks drops.
inline std::optional<float> dropoutRatio(llvm::StringRef name) {
  if (!name.starts_with("training_dropout") || name.contains("zero_ratio"))
    return std::nullopt;
  return name.contains("default") ? 0.5f : 0.75f;
}

} // namespace tutti::test

#endif // TUTTI_TEST_LIB_EXECUTION_ONNXNODECASES_H
