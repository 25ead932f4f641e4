// dist-opt: reads a training program (ONNX, MLIR text or MLIR bytecode), runs passes on it, prints
// it. It is MlirOptMain with an ONNX importer in front and an output file that is whole or absent.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/diagnostics/DiagnosticPrinter.h"
#include "lib/diagnostics/NodeDiagnostics.h"
#include "lib/diagnostics/RemarkPrinter.h"
#include "lib/frontend/ImportOnnx.h"
#include "lib/frontend/InputFormat.h"
#include "lib/output/OutputFile.h"
#include "passes/planning/Passes.h"
#include "runtime/output/SameFile.h"
#include "runtime/output/StandardStreams.h"
#include "tools/dist-opt/Check.h"
#include "tools/dist-opt/CommandLine.h"
#include "tools/dist-opt/ExportPass.h"
#include "tools/dist-opt/Flags.h"
#include "tools/registration/RegisterAll.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace tutti;
using diagnostics::DiagnosticPrinter;
using diagnostics::RemarkPrinter;
using frontend::InputFormat;

/// Weights in bytecode are used where they lie, so the file must be aligned as they want to be.
static constexpr llvm::Align inputAlignment = llvm::Align::Constant<64>();

static int fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "dist-opt") << message << "\n";
  return 1;
}

/// Imports an ONNX file and hands it on as bytecode, which keeps locations and weights bit for bit.
/// Null after an error that was printed.
static std::unique_ptr<llvm::MemoryBuffer>
importAsBytecode(StringRef path, llvm::MemoryBufferRef file, const DialectRegistry &registry) {
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = frontend::importOnnx(path, file.getBuffer(), &context,
                                                      /*survey=*/nullptr, artifactFiles());
  if (!module)
    return nullptr;
  std::string bytecode;
  llvm::raw_string_ostream stream(bytecode);
  if (failed(writeBytecodeToFile(*module, stream)))
    return nullptr;
  auto buffer =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(bytecode.size(), path, inputAlignment);
  llvm::copy(bytecode, buffer->getBufferStart());
  return buffer;
}

static bool wantsPlan() { return planTable || !planFile.empty(); }

/// Standard output has room for one of program and plan, and who wants a model wants no text; -o
/// tells where the program goes then.
static bool replacesProgram(StringRef outputPath) {
  return outputPath == "-" && (planTable || planFile == "-" || !exportFile.empty());
}

static LogicalResult checkPlanFlags() {
  if (wantsPlan() || (clusterFile.empty() && planRanks == 0))
    return success();
  fail("--cluster and --plan-ranks are about the plan: give --plan=FILE or --plan-table too");
  return failure();
}

/// The program may take the place of the one that was read; nothing else may, nor may two outputs
/// be one file.
static LogicalResult checkOutputs(const std::string &input, const std::string &output) {
  using namespace tutti::runtime::output;
  if (exportFile == "-" && (planTable || planFile == "-"))
    return fail("--export-onnx and the plan both want standard output; give one of them a file"),
           failure();
  auto unlessStandard = [](const std::string &path) { return path == "-" ? "" : path; };
  std::vector<NamedPath> others = {{"--plan", unlessStandard(planFile)},
                                   {"--export-onnx", unlessStandard(exportFile)},
                                   {"--remarks-file", remarkFile}};
  tutti::runtime::Error error = check_outputs(others, {{"dist-opt", input},
                                                       {"--cluster", clusterFile},
                                                       {"--optimizer-model", optimizerModel},
                                                       {"--checkpoint", checkpointFile}});
  if (!error) {
    others.push_back({"-o", unlessStandard(output)});
    error = check_outputs(others, {{"--cluster", clusterFile},
                                   {"--optimizer-model", optimizerModel},
                                   {"--checkpoint", checkpointFile}});
  }
  return error ? fail(error.message), failure() : success();
}

/// The plan is that of the program behind all passes.
static void addPlan(PassManager &passes) {
  planning::CollectiveEmitPlanPassOptions options;
  options.file = planFile;
  options.table = planTable ? "-" : "";
  options.cluster = clusterFile;
  options.ranks = planRanks;
  passes.addPass(planning::createCollectiveEmitPlanPass(options));
}

/// With --import-only the pass pipeline must be empty.
static LogicalResult checkNoPasses(const MlirOptMainConfig &config,
                                   const DialectRegistry &registry) {
  MLIRContext context(registry);
  PassManager passes(&context);
  if (failed(config.setupPassPipeline(passes)))
    return failure();
  if (passes.empty())
    return success();
  fail("--import-only runs no passes, but the command line asks for some; drop one of the two");
  return failure();
}

static LogicalResult optimize(std::unique_ptr<llvm::MemoryBuffer> input, DialectRegistry &registry,
                              RemarkPrinter *remarks, llvm::raw_ostream &out) {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (importOnly && failed(checkNoPasses(config, registry)))
    return failure();
  MlirOptMainConfig pipeline = config;
  config.setPassPipelineSetupFn([&](PassManager &passes) {
    if (config.shouldVerifyDiagnostics()) // else DiagnosticPrinter does it
      diagnostics::nameNodesInDiagnostics(passes.getContext());
    if (remarks)
      remarks->attachTo(passes.getContext());
    if (failed(pipeline.setupPassPipeline(passes)))
      return failure();
    if (wantsPlan())
      addPlan(passes);
    if (!exportFile.empty())
      passes.addPass(createExportOnnxPass(exportFile));
    return success();
  });
  return MlirOptMain(out, std::move(input), registry, config);
}

/// The program behind `input` as MlirOptMain reads it; null after an error that was printed.
static std::unique_ptr<llvm::MemoryBuffer>
readProgram(StringRef path, const DialectRegistry &registry, DiagnosticPrinter &printer) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(path, inputAlignment, &error);
  if (!input)
    return fail(error), nullptr;
  switch (frontend::detectInputFormat(input->getBuffer())) {
  case InputFormat::Unknown:
    return fail("'" + path + "': " + frontend::explainUnknownFormat(input->getBuffer())), nullptr;
  case InputFormat::Onnx:
    return importAsBytecode(path, *input, registry);
  case InputFormat::MlirText:
  case InputFormat::MlirBytecode:
    break;
  }
  if (!artifactFiles().isEmpty())
    return fail("'" + path + "': " + frontend::ArtifactFiles::kNotForMlir), nullptr;
  printer.setSource(*input);
  return input;
}

/// Reads, rewrites and writes the program of the command line.
static int run(StringRef inputPath, StringRef outputPath, DialectRegistry &registry) {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return failed(
        MlirOptMain(llvm::outs(), llvm::MemoryBuffer::getMemBuffer(""), registry, config));
  if (failed(checkPlanFlags()))
    return 1;
  if (failed(checkOutputs(inputPath.str(), outputPath.str())))
    return 1;
  DiagnosticPrinter printer("dist-opt", /*printAll=*/printOpOnDiagnostic());
  if (!config.shouldVerifyDiagnostics())
    printer.attachToContextsOf(registry);
  llvm::Expected<OutputFile> output = OutputFile::open(outputPath);
  if (!output)
    return fail(llvm::toString(output.takeError()));
  auto remarks =
      RemarkPrinter::create({remarkStyle, config.getRemarksAllFilter(), remarkFile, "dist-opt"});
  if (!remarks)
    return fail(llvm::toString(remarks.takeError()));
  std::unique_ptr<llvm::MemoryBuffer> input = readProgram(inputPath, registry, printer);
  if (!input)
    return 1;
  llvm::raw_null_ostream nowhere;
  llvm::raw_ostream &program = replacesProgram(outputPath) ? nowhere : output->stream();
  bool isOptimized = succeeded(optimize(std::move(input), registry, remarks->get(), program));
  if (*remarks)
    if (llvm::Error failure = (*remarks)->finish())
      return fail(llvm::toString(std::move(failure)));
  if (!isOptimized)
    return 1;
  if (llvm::Error failure = output->commit())
    return fail(llvm::toString(std::move(failure)));
  return 0;
}

int main(int argc, char **argv) {
  tutti::runtime::output::secure_standard_streams();
  llvm::InitLLVM init(argc, argv);
  tutti::runtime::output::ignore_size_signal(); // behind LLVM, which ends the process on it
  DialectRegistry registry;
  registerAllTuttiDialects(registry);
  registerAllTuttiPasses();
  printOpOnDiagnostic().setInitialValue(false);
  hideOptionsOfLibraries();
  std::vector<std::string> arguments = joinKeys(llvm::ArrayRef<const char *>(argv, argc));
  std::string header = registerCLIOptions("dist-opt: rewrites training programs\n", registry);
  if (std::optional<int> status = answerHelp(arguments))
    return *status;
  auto complain = [](const Twine &problem) { return fail(problem), failure(); };
  if (failed(checkKeys(arguments, complain)))
    return 1;
  std::vector<char *> words;
  for (std::string &argument : arguments)
    words.push_back(argument.data());
  auto [inputPath, outputPath] = parseCLIOptions(words.size(), words.data(), header);
  if (checkStyle != CheckStyle::None)
    return check(
        {inputPath, checkStyle, keysOf(arguments, "train"), keysOf(arguments, "distribute")},
        registry);
  return run(inputPath, outputPath, registry);
}
