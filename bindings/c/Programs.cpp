// The C API: programs in and out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bindings/c/Listener.h"
#include "lib/frontend/ImportOnnx.h"
#include "lib/frontend/InputFile.h"
#include "lib/frontend/ReadProgram.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tutti;
using bindings::Listener;
using frontend::InputFormat;
using llvm::MemoryBuffer;

/// Weights in bytecode are used where they lie, so the sources live as long as these are needed.
static OwningOpRef<ModuleOp> parse(std::unique_ptr<MemoryBuffer> content, MLIRContext *context) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(content), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, ParserConfig(context));
}

static OwningOpRef<ModuleOp> parseText(std::unique_ptr<MemoryBuffer> text, MLIRContext *context) {
  StringRef name = text->getBufferIdentifier();
  if (failed(frontend::verifyNesting(name, text->getBuffer(), context)))
    return nullptr;
  return parse(std::move(text), context);
}

static OwningOpRef<ModuleOp> read(StringRef path, MLIRContext *context, const Listener &listener) {
  llvm::Expected<frontend::InputFile> file = frontend::openInput(path);
  if (!file)
    return (void)listener.refuse(llvm::toString(file.takeError())), nullptr;
  switch (file->format) {
  case InputFormat::Onnx:
    return frontend::importOnnx(path, std::move(file->content), context);
  case InputFormat::MlirBytecode:
    return parse(std::move(file->content), context);
  case InputFormat::MlirText:
    return parseText(std::move(file->content), context);
  case InputFormat::Unknown:
    break;
  }
  (void)listener.refuse("'" + path + "': " + frontend::explainUnknownFormat(file->text()));
  return nullptr;
}

MlirModule tuttiProgramRead(MlirContext context, MlirStringRef path, TuttiDiagnosticCallback tell,
                            void *userData) {
  Listener listener(tell, userData);
  if (!context.ptr)
    return (void)listener.refuse("tuttiProgramRead needs a context; this one is null"),
           MlirModule{nullptr};
  listener.listenTo(unwrap(context));
  return wrap(read(unwrap(path), unwrap(context), listener).release());
}

/// A copy that is aligned as bytecode wants it, with the 0 after it that text wants.
static std::unique_ptr<MemoryBuffer> copyAligned(StringRef content, StringRef name) {
  auto copy = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(content.size(), name,
                                                                llvm::Align::Constant<64>());
  if (copy)
    llvm::copy(content, copy->getBufferStart());
  return copy;
}

MlirModule tuttiProgramParse(MlirContext context, MlirStringRef content, MlirStringRef name,
                             TuttiDiagnosticCallback tell, void *userData) {
  Listener listener(tell, userData);
  if (!context.ptr)
    return (void)listener.refuse("tuttiProgramParse needs a context; this one is null"),
           MlirModule{nullptr};
  listener.listenTo(unwrap(context));
  std::unique_ptr<MemoryBuffer> copy = copyAligned(unwrap(content), unwrap(name));
  if (!copy)
    return (void)listener.refuse("there is no memory for the program"), MlirModule{nullptr};
  bool isBytecode = frontend::detectInputFormat(copy->getBuffer()) == InputFormat::MlirBytecode;
  auto program = isBytecode ? parse(std::move(copy), unwrap(context))
                            : parseText(std::move(copy), unwrap(context));
  return wrap(program.release());
}

void tuttiProgramPrint(MlirModule program, MlirStringCallback give, void *userData) {
  if (!program.ptr || !give)
    return;
  constexpr size_t bytesOfPart = 1 << 16;
  mlir::detail::CallbackOstream out(give, userData);
  out.SetBufferSize(bytesOfPart);
  unwrap(program)->print(out);
  out << "\n";
  out.flush();
}

void tuttiProgramDestroy(MlirModule program) {
  if (program.ptr)
    unwrap(program)->erase();
}
