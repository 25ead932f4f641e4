// Between the frame of a model, which the compiler side makes, and what ranks fill.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/Export.h"

#include "lib/frontend/ImportOnnx.h"
#include "lib/frontend/InputFormat.h"
#include "lib/program/Program.h"
#include "runtime/host/checkpoint/Safetensors.h"
#include "runtime/host/data/Array.h"
#include "runtime/host/program/SavedVariables.h"
#include "runtime/support/Names.h"

#include "mlir/Support/FileUtilities.h"
#include "tools/dist-run/Errors.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdio>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace tutti;
namespace checkpoint = tutti::runtime::checkpoint;
namespace worker = tutti::runtime::worker;
using frontend::InputFormat;
using runtime::output::NamedPath;

static llvm::Error systemError(const llvm::Twine &what) {
  return makeError(what + ": " + std::error_code(errno, std::generic_category()).message());
}

ModelExport::ModelExport(std::string input, std::string target)
    : input(std::move(input)), target(std::move(target)), printer("dist-run"),
      context(MLIRContext::Threading::DISABLED) {
  printer.attachTo(&context);
}

static StringRef nameOf(InputFormat format) {
  switch (format) {
  case InputFormat::MlirBytecode:
    return "MLIR bytecode";
  case InputFormat::MlirText:
    return "MLIR text";
  case InputFormat::Onnx:
    return "an ONNX model";
  case InputFormat::Unknown:
    break;
  }
  return "no program";
}

llvm::Expected<std::unique_ptr<ModelExport>> ModelExport::open(const RunOptions &options) {
  std::unique_ptr<ModelExport> made(new ModelExport(options.input, options.exported));
  if (options.input == "-")
    return makeError("--export: the model comes from standard input, but is needed twice: give the "
                     "name of its file");
  std::string problem;
  made->content = openInputFile(options.input, &problem);
  if (!made->content)
    return makeError(problem);
  InputFormat format = frontend::detectInputFormat(made->content->getBuffer());
  if (format == InputFormat::Unknown)
    return makeError("'" + options.input +
                     "': " + frontend::explainUnknownFormat(made->content->getBuffer()));
  if (format != InputFormat::Onnx)
    return makeError("--export writes the variables into the ONNX model that was given, but '" +
                     options.input + "' is " + nameOf(format) +
                     ": give the .onnx file, or write the variables alone with --save");
  made->model =
      frontend::ModelFrame::parse(options.input, made->content->getBuffer(), &made->context);
  if (!made->model)
    return makeError(""); // the diagnostics have said why
  return made;
}

std::vector<NamedPath> ModelExport::outputs() const {
  std::vector<NamedPath> paths = {{"--export", target}};
  if (model->hasDataFile())
    paths.push_back({"--export", target + ".data"});
  return paths;
}

std::vector<NamedPath> ModelExport::inputs() const {
  std::vector<NamedPath> paths;
  for (const std::string &path : model->dataFiles())
    paths.push_back({"'" + input + "'", path});
  return paths;
}

/// The door's spelling of an element type: f32, u8, bool.
static std::string spell(Type type) {
  if (type.isInteger(1))
    return "bool";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return StringRef(text).starts_with("ui") ? text.substr(0, 1) + text.substr(2) : text;
}

static std::string describe(RankedTensorType type) {
  auto number = runtime::type_from_name(spell(type.getElementType()));
  return number ? runtime::data::describe(*number, type.getShape().vec()) : spell(type);
}

/// `own`: what the variable is in the program.
llvm::Error ModelExport::check(const std::string &name, bool isTrained, const std::string &own,
                               llvm::StringSet<> &variables) const {
  RankedTensorType type = model->typeOf(name);
  if (!type && isTrained)
    return makeError("--export: the variable '" + name + "' is trained, but '" + input +
                     "' has no initializer of this name; --save writes all variables");
  if (!type)
    return llvm::Error::success(); // a state of the recipe
  if (own != describe(type))
    return makeError("--export: the variable '" + name + "' is " + own +
                     ", but its initializer in '" + input + "' is " + describe(type) +
                     "; --save writes all variables");
  variables.insert(name);
  return llvm::Error::success();
}

llvm::Error ModelExport::check(const worker::Manifest &manifest,
                               llvm::StringSet<> &variables) const {
  for (const worker::Variable &variable : manifest.variables)
    if (llvm::Error error = check(
            variable.name, variable.kind == "trainable",
            runtime::data::describe(variable.type, worker::shape_in_file(variable, manifest.ranks)),
            variables))
      return error;
  for (const worker::ServedTable &table : manifest.tables) {
    std::string own = runtime::data::describe(table.type, table.shape);
    if (llvm::Error error = check(table.name, /*isTrained=*/true, own, variables))
      return error;
    for (const worker::ServedTable::State &state : table.states)
      if (llvm::Error error = check(state.name, /*isTrained=*/false, own, variables))
        return error;
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<checkpoint::Frame>>
ModelExport::frame(const worker::Manifest &manifest) {
  llvm::StringSet<> variables;
  if (llvm::Error error = check(manifest, variables))
    return error;
  return makeFrames(variables);
}

llvm::Expected<std::vector<checkpoint::Frame>>
ModelExport::makeFrames(const llvm::StringSet<> &variables) {
  auto files = model->frame(variables, target);
  if (failed(files))
    return makeError(""); // the diagnostics have said why
  std::vector<checkpoint::Frame> frames;
  for (const frontend::FramedFile &file : *files)
    if (llvm::Error error = keep(file, frames.emplace_back()))
      return error;
  return frames;
}

static bool writeAt(int file, StringRef bytes, uint64_t offset) {
  while (!bytes.empty()) {
    ssize_t written = pwrite(file, bytes.data(), bytes.size(), off_t(offset));
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes = bytes.drop_front(written);
    offset += written;
  }
  return true;
}

/// Places of variables take no memory in it, unless they stand within a piece.
llvm::Error ModelExport::keep(const frontend::FramedFile &file, checkpoint::Frame &frame) {
  // Not closed by exec, because ranks read it.
  runtime::output::Descriptor memory(memfd_create("tutti-export", 0));
  if (!memory || ftruncate(memory.get(), off_t(file.size)) != 0)
    return systemError("--export: cannot make a file of memory for the model");
  for (const frontend::FramedFile::Piece &piece : file.pieces)
    if (!writeAt(memory.get(), piece.bytes, piece.offset))
      return systemError("--export: cannot write the model into memory");
  frame.target = file.target;
  frame.content = "/proc/self/fd/" + std::to_string(memory.get());
  for (const frontend::VariableSlot &slot : file.slots)
    frame.slots.push_back({slot.variable, int64_t(slot.offset), int64_t(slot.bytes)});
  contents.push_back(std::move(memory));
  return llvm::Error::success();
}

/// The variables of the model, as its import finds them.
llvm::Expected<llvm::StringSet<>> ModelExport::findVariables() {
  OwningOpRef<ModuleOp> module = frontend::importOnnx(input, content, &context);
  auto initialize = module ? module->lookupSymbol<func::FuncOp>("initialize") : nullptr;
  if (!initialize)
    return makeError(""); // the diagnostics have said why
  llvm::StringSet<> variables;
  for (const program::VariableResult &result : program::getVariableResults(initialize))
    variables.insert(result.role.getName());
  return variables;
}

llvm::Error ModelExport::writeFromCheckpoint(const std::string &path) {
  auto variables = findVariables();
  if (!variables)
    return variables.takeError();
  if (variables->empty())
    return makeError("--export: '" + input + "' has no variables");
  std::vector<checkpoint::Variable> wanted;
  llvm::StringMap<std::vector<char>> values;
  for (StringRef name : variables->keys()) {
    RankedTensorType type = model->typeOf(name);
    auto number = runtime::type_from_name(spell(type.getElementType()));
    if (!number)
      return makeError("--export: the initializer '" + name + "' is " + describe(type) +
                       ", which checkpoints do not hold");
    std::vector<char> &value = values[name];
    value.resize(type.getNumElements() * runtime::type_bytes(*number));
    wanted.push_back({name.str(), *number, type.getShape().vec(), value.data()});
  }
  std::vector<std::string> unused;
  if (runtime::Error error = checkpoint::load(path, wanted, &unused))
    return makeError(error.message);
  if (!unused.empty())
    llvm::errs() << "note: checkpoint '" << path << "' has " << unused.size()
                 << " tensors that the model does not: " << unused[0]
                 << (unused.size() > 1 ? ", ..." : "") << "\n";
  auto frames = makeFrames(*variables);
  if (!frames)
    return frames.takeError();
  auto source = [&](const std::string &name, const checkpoint::Sink &sink) {
    sink(values[name].data(), values[name].size());
    return runtime::Error::success();
  };
  for (const checkpoint::Frame &frame : *frames)
    if (runtime::Error error = checkpoint::write_frame(frame, source))
      return makeError(error.message);
  return llvm::Error::success();
}
