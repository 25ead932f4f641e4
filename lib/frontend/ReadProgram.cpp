// Parsing programs that were not made here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/ReadProgram.h"

#include "lib/frontend/InputFormat.h"
#include "lib/frontend/ProgramVocabulary.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tutti::frontend;

/// Programs nest a few loops in a function; types and locations add some.
static constexpr size_t kDeepest = 256;

/// After the string or comment that may begin at `at`, or `at` itself.
static size_t skipUnstructured(StringRef text, size_t at) {
  if (text.substr(at).starts_with("//"))
    return std::min(text.find('\n', at), text.size());
  if (text[at] != '"')
    return at;
  for (size_t end = at + 1; end < text.size(); ++end) {
    if (text[end] == '\\')
      ++end;
    else if (text[end] == '"' || text[end] == '\n')
      return end + 1;
  }
  return text.size();
}

bool tutti::frontend::nestsDeeper(StringRef text, size_t limit) {
  static constexpr StringRef openers = "([{<", closers = ")]}>";
  SmallVector<char> open; // the closing brackets that are still to come
  for (size_t at = 0; at < text.size(); ++at) {
    if (size_t end = skipUnstructured(text, at); end != at) {
      at = end - 1;
      continue;
    }
    // Comparisons and arrows are no brackets.
    if (text.substr(at).starts_with("->") || text.substr(at).starts_with(">=") ||
        text.substr(at).starts_with("<=")) {
      ++at;
      continue;
    }
    if (size_t kind = openers.find(text[at]); kind != StringRef::npos)
      open.push_back(closers[kind]);
    else if (closers.contains(text[at]))
      if (auto found = llvm::find(llvm::reverse(open), text[at]); found != open.rend())
        open.resize(open.rend() - found - 1);
    if (open.size() > limit)
      return true;
  }
  return false;
}

LogicalResult tutti::frontend::verifyNesting(StringRef path, StringRef text, MLIRContext *context) {
  if (!nestsDeeper(text, kDeepest))
    return success();
  return emitError(FileLineColLoc::get(context, path, 0, 0))
         << "brackets stand within more than " << kDeepest << " others; no program needs that";
}

OwningOpRef<ModuleOp> tutti::frontend::readMlirProgram(StringRef path, StringRef content,
                                                       MLIRContext *context) {
  bool isText = detectInputFormat(content) != InputFormat::MlirBytecode; // or is taken for one
  if (isText && failed(verifyNesting(path, content, context)))
    return nullptr;
  // MLIR's lexer goes on to the 0 that it takes for granted after a text.
  std::string terminated = isText ? content.str() : "";
  auto module =
      parseSourceString<ModuleOp>(isText ? StringRef(terminated) : content, context, path);
  if (module && failed(verifyProgramVocabulary(*module)))
    return nullptr;
  return module;
}
