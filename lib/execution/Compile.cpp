// From a specialised training program to a shared object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/Compile.h"

#include "lib/diagnostics/WarningRecorder.h"
#include "lib/execution/Manifest.h"
#include "lib/execution/code/ObjectCode.h"
#include "lib/execution/code/OpenSymbols.h"
#include "lib/execution/files/BuildFolder.h"
#include "lib/execution/files/Cache.h"

#include "dialects/collective/Effects.h"
#include "dialects/interfaces/ranks/Communication.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace tutti::execution;
using namespace tutti::program;

static llvm::Error cannotCompile(const llvm::Twine &part) {
  return llvm::createStringError("the program cannot be compiled: " + part);
}

namespace {
/// Hashes what is written into it, and keeps nothing.
class HashStream : public llvm::raw_ostream {
public:
  ~HashStream() override { flush(); }

  std::string hash() {
    flush();
    return llvm::toHex(hasher.final(), /*LowerCase=*/true);
  }

private:
  void write_impl(const char *data, size_t bytes) override {
    hasher.update(llvm::StringRef(data, bytes));
    position += bytes;
  }
  uint64_t current_pos() const override { return position; }

  llvm::BLAKE3 hasher;
  uint64_t position = 0;
};
} // namespace

llvm::Expected<std::string> tutti::execution::fingerprintOf(ModuleOp module) {
  HashStream stream;
  if (failed(writeBytecodeToFile(module, stream)))
    return cannotCompile("it cannot be written as bytecode");
  return stream.hash();
}

/// Tells one build of the compiler from another, so that a rebuilt compiler does not find
/// code of the previous build.
static std::string identifyCompiler() {
  std::string text = "tutti LLVM " LLVM_VERSION_STRING;
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status("/proc/self/exe", status))
    text += " " + std::to_string(status.getSize()) + " " +
            std::to_string(status.getLastModificationTime().time_since_epoch().count());
  return text;
}

static std::string keyOf(const CompileRequest &request, const Instructions &instructions,
                         llvm::StringRef fingerprint) {
  return hashContent((fingerprint + "\n" + request.name + "\n" + request.rankClass + "\n" +
                      request.predictionKey + "\n-O" + llvm::Twine(*request.optimization) + "\n" +
                      request.loweringKey + "\n" + describeTarget(instructions) + "\n" +
                      identifyCompiler())
                         .str());
}

static llvm::Error run(ModuleOp module, const std::function<void(OpPassManager &)> &build,
                       llvm::StringRef what) {
  PassManager passes(module.getContext());
  build(passes);
  if (failed(passes.run(module)))
    return cannotCompile(what);
  return llvm::Error::success();
}

/// Lowering must keep each exchange of the plan. Two exchanges that differ now may look alike when
/// their operands are lowered: the number keeps them apart. Nobody may use what arrives by then:
/// the mark keeps a collective all the same.
static void holdExchanges(ModuleOp module) {
  int64_t number = 0;
  Builder builder(module.getContext());
  module.walk([&](tutti::CommunicationOpInterface op) {
    op->setDiscardableAttr("kernel.exchange", builder.getI64IntegerAttr(number++));
    if (isa<tutti::collective::CollectiveOpInterface>(*op))
      op->setDiscardableAttr(tutti::collective::kDistinct, builder.getUnitAttr());
  });
}

/// Lowering must neither drop, add nor reorder what the plan promises to the other ranks.
static llvm::Error checkPlanKept(ModuleOp lowered, llvm::ArrayRef<PlanEntry> plan) {
  auto kept = lowered->getAttrOfType<ArrayAttr>("kernel.plan");
  size_t count = kept ? kept.size() : 0;
  for (size_t id = 0; id < std::max(count, plan.size()); ++id) {
    std::string planned = id < plan.size() ? describe(plan[id]) : "nothing";
    std::string found = id < count ? cast<StringAttr>(kept[id]).str() : "nothing";
    if (planned != found)
      return cannotCompile("lowering changed the communication plan at entry " + llvm::Twine(id) +
                           ": planned '" + planned + "', found '" + found + "'");
  }
  return llvm::Error::success();
}

/// Runs the pipelines on `module` and returns the manifest.
static llvm::Expected<std::string> lower(ModuleOp module, const CompileRequest &request,
                                         llvm::StringRef fingerprint) {
  std::vector<std::string> warnings;
  tutti::diagnostics::WarningRecorder recorder(module.getContext(), warnings);
  if (llvm::Error error = run(module, request.pipelines.specialize, "it cannot be specialised"))
    return error;
  std::vector<PlanEntry> plan = extractPlan(module);
  if (request.predict)
    request.predict(module, plan);
  auto manifest =
      createManifest(module, {request.name, fingerprint.str(), request.rankClass == "ceil"}, plan);
  if (failed(manifest))
    return cannotCompile("it is not a program that can be run");
  holdExchanges(module);
  if (llvm::Error error = run(module, request.pipelines.lower, "lowering failed"))
    return error;
  if (llvm::Error error = checkPlanKept(module, plan))
    return error;
  if (failed(verifyMachineCode(module)))
    return cannotCompile("it does more than compute");
  addLowered(*manifest, module);
  manifest->warnings = std::move(warnings);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(toJson(*manifest));
  return text;
}

/// The shared object, as bytes; the files of its making are gone.
static llvm::Expected<std::string> makeObject(ModuleOp module, const CompileRequest &request,
                                              const Instructions &instructions,
                                              llvm::StringRef manifest) {
  llvm::Expected<BuildFolder> folder = BuildFolder::create();
  if (!folder)
    return folder.takeError();
  std::string object = folder->path("program.o"), path = folder->path("program.so");
  if (llvm::Error error =
          writeObject(module, manifest, instructions, *request.optimization, object))
    return error;
  if (llvm::Error error = linkSharedObject(object, path))
    return error;
  auto content =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!content)
    return llvm::createStringError(content.getError(), "cannot read " + path);
  if (llvm::Error error = checkSharedObject((*content)->getBuffer()))
    return error;
  return (*content)->getBuffer().str();
}

static llvm::Expected<std::string> build(const CompileRequest &request,
                                         const Instructions &instructions,
                                         llvm::StringRef fingerprint, std::string &manifest) {
  OwningOpRef<ModuleOp> module = ModuleOp(request.module).clone();
  auto text = lower(*module, request, fingerprint);
  if (!text)
    return text.takeError();
  manifest = *text;
  return makeObject(*module, request, instructions, manifest);
}

llvm::Expected<std::string> tutti::execution::readManifest(llvm::StringRef content) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(content, "the compiled program"));
  if (!file)
    return file.takeError();
  auto *elf = llvm::cast<llvm::object::ELFObjectFileBase>(file->get());
  for (llvm::object::ELFSymbolRef symbol : elf->getDynamicSymbolIterators()) {
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    if (*name != "tutti_manifest")
      continue;
    auto section = symbol.getSection();
    auto address = symbol.getAddress();
    if (!section || !address || *section == elf->section_end())
      break;
    auto content = (*section)->getContents();
    if (!content)
      return content.takeError();
    return content->substr(*address - (*section)->getAddress(), symbol.getSize()).rtrim('\0').str();
  }
  return llvm::createStringError("the compiled program has no manifest");
}

/// Gives the warnings of the passes that made the program.
static void warnAgain(ModuleOp module, llvm::StringRef manifest) {
  auto parsed = llvm::json::parse(manifest);
  if (!parsed)
    return llvm::consumeError(parsed.takeError()); // which ProgramValues tells
  const llvm::json::Object *object = parsed->getAsObject();
  if (const llvm::json::Array *warnings = object ? object->getArray("warnings") : nullptr)
    for (const llvm::json::Value &warning : *warnings)
      emitWarning(module.getLoc()) << warning.getAsString().value_or("");
}

static bool findProgram(Cache &cache, llvm::StringRef key, CompiledProgram &program,
                        std::string &outContent) {
  std::optional<std::string> content = cache.find(key);
  if (!content)
    return false;
  auto manifest = readManifest(*content);
  if (!manifest) {
    llvm::consumeError(manifest.takeError()); // of another version: build it again
    return false;
  }
  program.manifest = *manifest;
  program.wasCached = true;
  outContent = std::move(*content);
  return true;
}

/// The content of the program, found or built.
static llvm::Expected<std::string> findOrBuild(const CompileRequest &request, Cache &cache,
                                               CompiledProgram &program) {
  auto fingerprint = fingerprintOf(request.module);
  if (!fingerprint)
    return fingerprint.takeError();
  auto instructions = Instructions::find(request.instructions);
  if (!instructions)
    return instructions.takeError();
  std::string key = keyOf(request, *instructions, *fingerprint), content;
  if (findProgram(cache, key, program, content))
    return content;
  // Of many ranks that a launcher started at once, the first one compiles.
  Cache::Hold hold = cache.hold(key);
  if (findProgram(cache, key, program, content))
    return content;
  auto built = build(request, *instructions, *fingerprint, program.manifest);
  if (built)
    cache.insert(key, *built);
  return built;
}

llvm::Expected<unsigned> tutti::execution::optimizationAsked() {
  std::string text = llvm::sys::Process::GetEnv("TUTTI_OPTIMIZE").value_or("");
  unsigned level = 2;
  if (text.empty())
    return level;
  if (llvm::StringRef(text).getAsInteger(10, level) || level > 3)
    return llvm::createStringError(
        "TUTTI_OPTIMIZE='" + text +
        "' is not a level of optimization: set it to a number from 0 to 3");
  return level;
}

llvm::Expected<CompiledProgram> tutti::execution::compileProgram(const CompileRequest &given) {
  CompileRequest request = given;
  if (!request.optimization) {
    auto asked = optimizationAsked();
    if (!asked)
      return asked.takeError();
    request.optimization = *asked;
  }
  Cache cache(request.cacheDirectory);
  CompiledProgram program;
  auto content = findOrBuild(request, cache, program);
  if (!content)
    return content.takeError();
  auto file = MemoryFile::create({*content}, "the compiled program");
  if (!file)
    return file.takeError();
  program.file = *file;
  if (program.wasCached)
    warnAgain(request.module, program.manifest);
  auto values = ProgramValues::find(program.manifest, request.module);
  if (!values)
    return values.takeError();
  program.values = std::move(*values);
  program.remarks = cache.remarks();
  return program;
}
