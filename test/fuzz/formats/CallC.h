// The C API as fuzzers call it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_FUZZ_FORMATS_CALLC_H
#define TUTTI_TEST_FUZZ_FORMATS_CALLC_H

#include "test/fuzz/formats/Input.h"

#include "llvm/Support/raw_ostream.h"

#include "tutti-c/Tutti.h"

#include <cstdlib>

namespace tutti::fuzz {

inline MlirStringRef refTo(std::string_view text) {
  return mlirStringRefCreate(text.data(), text.size());
}

/// Reads all of it, for the sake of sanitizers.
inline void readText(MlirStringRef text, void *) {
  volatile unsigned sum = 0;
  for (size_t i = 0; i < text.length; ++i)
    sum = sum + static_cast<unsigned char>(text.data[i]);
}

inline void readDiagnostic(const TuttiDiagnostic *diagnostic, void *) {
  for (MlirStringRef text : {diagnostic->message, diagnostic->file, diagnostic->node})
    readText(text, nullptr);
}

/// A context; a new one now and then: what it makes unique is never given back.
inline MlirContext nextCContext() {
  static MlirContext context = {nullptr};
  static unsigned uses = 0;
  if (uses++ % 64 == 0) {
    tuttiContextDestroy(context);
    context = tuttiContextCreate(/*threads=*/false, readDiagnostic, nullptr);
  }
  return context;
}

/// Ends the program if LLVM has written to standard output or standard error.
inline void expectSilence() {
  if (llvm::errs().tell() != 0 || llvm::outs().tell() != 0)
    std::abort();
}

} // namespace tutti::fuzz

#endif // TUTTI_TEST_FUZZ_FORMATS_CALLC_H
