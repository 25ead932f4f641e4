// Reads lists of names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/training/DeclaredVariables.h"

#include "lib/frontend/model/values/FoldedCopies.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti::frontend;

static void addNames(StringRef text, llvm::StringSet<> &names) {
  for (StringRef separators = ",\n\r"; !text.empty();) {
    StringRef name = text.take_until([&](char c) { return separators.contains(c); });
    text = text.drop_front(std::min(name.size() + 1, text.size()));
    if (!name.trim().empty())
      names.insert(name.trim());
  }
}

/// A counter of PyTorch, which no graph has.
static bool isCounter(StringRef name) { return name.ends_with("num_batches_tracked"); }

LogicalResult DeclaredVariables::check(const ModelFile &file) {
  for (StringRef name : parameters.keys())
    if (buffers.contains(name))
      return emitError(file.location())
             << "metadata_props: '" << name << "' is in " << parametersKey << " and in "
             << buffersKey << "; a variable is trained or kept";
  llvm::StringSet<> found;
  bool hasFolded = false;
  for (const proto::TensorProto &tensor : file.model().graph().initializer()) {
    hasFolded |= isFolded(tensor.name());
    if (isParameter(tensor.name()) || isBuffer(tensor.name()))
      found.insert(tensor.name());
  }
  auto isLost = [&](StringRef name) { return !found.contains(name) && !isCounter(name); };
  hasLostParameter = llvm::any_of(parameters.keys(), isLost);
  hasLostBuffer = llvm::any_of(buffers.keys(), isLost);
  if (found.empty() && !hasFolded && !parameters.empty())
    return emitError(file.location())
           << "metadata_props: none of the names of " << parametersKey << " and " << buffersKey
           << " is an initializer of the model, e.g. '" << *parameters.keys().begin()
           << "'; write the names of the exported module";
  return success();
}

FailureOr<DeclaredVariables> DeclaredVariables::read(const ModelFile &file) {
  DeclaredVariables declared;
  for (const auto &entry : file.model().metadata_props()) {
    if (entry.key() == parametersKey)
      addNames(entry.value(), declared.parameters);
    if (entry.key() == buffersKey)
      addNames(entry.value(), declared.buffers);
  }
  if (!declared.isEmpty() && failed(declared.check(file)))
    return failure();
  return declared;
}
