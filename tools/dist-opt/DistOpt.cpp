// dist-opt: reads a training program (ONNX, MLIR text or MLIR bytecode), runs passes on it, prints
// it. It is MlirOptMain with an ONNX importer in front and an output file that is whole or absent.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/Differentiable.h"
#include "lib/diagnostics/DiagnosticPrinter.h"
#include "lib/diagnostics/NodeDiagnostics.h"
#include "lib/diagnostics/RemarkPrinter.h"
#include "lib/frontend/ImportOnnx.h"
#include "lib/frontend/InputFile.h"
#include "lib/layout/ShardingTable.h"
#include "lib/output/OutputFile.h"
#include "passes/planning/Passes.h"
#include "passes/validation/Validate.h"
#include "runtime/output/SameFile.h"
#include "runtime/output/StandardStreams.h"
#include "tools/dist-opt/Check.h"
#include "tools/dist-opt/CommandLine.h"
#include "tools/dist-opt/ExportPass.h"
#include "tools/dist-opt/Flags.h"
#include "tools/dist-opt/Handover.h"
#include "tools/registration/RegisterAll.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
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

static int fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "dist-opt") << message << "\n";
  return 1;
}

namespace {
/// What MlirOptMain reads, and the weights of it that are not copied into that.
struct Program {
  std::unique_ptr<llvm::MemoryBuffer> text; ///< null after an error that was printed
  Handover weights;
};
} // namespace

/// Imports an ONNX file and hands it on as bytecode, which keeps locations and small constants bit
/// for bit.
static Program importAsBytecode(StringRef path, std::shared_ptr<llvm::MemoryBuffer> file,
                                const DialectRegistry &registry, RemarkPrinter *remarks) {
  MLIRContext context(registry);
  if (remarks)
    remarks->attachTo(&context);
  OwningOpRef<ModuleOp> module = frontend::importOnnx(path, std::move(file), &context,
                                                      /*survey=*/nullptr, givenFiles());
  if (!module)
    return {};
  std::string bytecode;
  llvm::raw_string_ostream stream(bytecode);
  BytecodeWriterConfig config;
  config.setElideResourceDataFlag();
  if (failed(writeBytecodeToFile(*module, stream, config)))
    return {};
  Program program;
  program.text = llvm::MemoryBuffer::getMemBufferCopy(bytecode, path);
  program.weights.take(*module);
  return program;
}

static bool wantsPlan() { return planTable || !planFile.empty(); }

/// Standard output has room for one of program and plan, and who wants a model wants no text; -o
/// tells where the program goes then.
static bool isProgramUnseen(StringRef outputPath) {
  bool isReplaced = outputPath == "-" && (planTable || planFile == "-" || !exportFile.empty());
  return isReplaced || outputPath == "/dev/null";
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
                                                       {"--checkpoint", checkpointFile},
                                                       {"--variables", variablesFile}});
  if (!error) {
    others.push_back({"-o", unlessStandard(output)});
    error = check_outputs(others, {{"--cluster", clusterFile},
                                   {"--optimizer-model", optimizerModel},
                                   {"--checkpoint", checkpointFile},
                                   {"--variables", variablesFile}});
  }
  return error ? fail(error.message), failure() : success();
}

/// The plan is that of the program after all passes.
static void addPlan(PassManager &passes) {
  planning::CollectiveEmitPlanPassOptions options;
  options.file = planFile;
  options.table = planTable ? "-" : "";
  options.cluster = clusterFile;
  options.ranks = planRanks;
  passes.addPass(planning::createCollectiveEmitPlanPass(options));
}

namespace {
/// The verifier of MLIR, as a pass: once for all passes before it.
struct VerifyProgram : PassWrapper<VerifyProgram, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyProgram)
  StringRef getArgument() const override { return "verify-program"; }
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(mlir::verify(getOperation())))
      signalPassFailure();
  }
};
} // namespace

/// With --verify: before anything of the program is written.
static LogicalResult addVerify(PassManager &passes) {
  if (verifyKeys.getNumOccurrences() == 0)
    return success();
  validation::ValidationOptions options;
  auto complain = [](const Twine &problem) { return fail(problem), failure(); };
  if (failed(options.keys().parse(verifyKeys, complain)))
    return failure();
  validation::addValidation(
      passes, options, [](StringRef report) { llvm::errs() << "dist-opt: " << report << "\n"; });
  return success();
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

namespace {
/// To what the command line says.
class Config : public MlirOptMainConfig {
public:
  Config() : MlirOptMainConfig(createFromCLOptions()) {}

  /// For a program that nobody sees: spelling the weights would take longer than all passes.
  void writeNoWeights() {
    emitBytecode(true);
    elideResourceDataFromBytecodeFlag = true;
  }
};
} // namespace

/// The program goes to `out`, or nowhere if that is null.
static LogicalResult optimize(Program input, DialectRegistry &registry, RemarkPrinter *remarks,
                              llvm::raw_ostream *out) {
  Config config;
  if (importOnly && failed(checkNoPasses(config, registry)))
    return failure();
  MlirOptMainConfig pipeline = config;
  if (!out)
    config.writeNoWeights();
  config.setPassPipelineSetupFn([&](PassManager &passes) {
    input.weights.give(passes.getContext());
    if (config.shouldVerifyDiagnostics()) // else DiagnosticPrinter does it
      diagnostics::nameNodesInDiagnostics(passes.getContext());
    if (remarks)
      remarks->attachTo(passes.getContext());
    if (failed(pipeline.setupPassPipeline(passes)))
      return failure();
    if (!config.shouldVerifyPasses() && !passes.empty())
      passes.addPass(std::make_unique<VerifyProgram>());
    if (failed(addVerify(passes)))
      return failure();
    if (wantsPlan())
      addPlan(passes);
    if (!exportFile.empty())
      passes.addPass(createExportOnnxPass(exportFile));
    return success();
  });
  llvm::raw_null_ostream nowhere;
  return MlirOptMain(out ? *out : nowhere, std::move(input.text), registry, config);
}

/// The program of the file `path`.
static Program readProgram(StringRef path, const DialectRegistry &registry,
                           DiagnosticPrinter &printer, RemarkPrinter *remarks) {
  llvm::Expected<frontend::InputFile> input = frontend::openInput(path);
  if (!input)
    return fail(llvm::toString(input.takeError())), Program();
  switch (input->format) {
  case InputFormat::Unknown:
    return fail("'" + path + "': " + frontend::explainUnknownFormat(input->text())), Program();
  case InputFormat::Onnx:
    return importAsBytecode(path, std::move(input->content), registry, remarks);
  case InputFormat::MlirText:
  case InputFormat::MlirBytecode:
    break;
  }
  if (const char *problem = givenFiles().whyNotForMlir())
    return fail("'" + path + "': " + problem), Program();
  printer.setSource(*input->content);
  return {std::move(input->content), {}};
}

static int printShardingRules(const DialectRegistry &registry) {
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  printShardingTable(context, llvm::outs());
  return 0;
}

/// A row of a table each: the name without its dialect, and whether a gradient passes through it.
static int printOperators(const DialectRegistry &registry) {
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    StringRef text = name.getStringRef();
    if (text.consume_front("onnx."))
      llvm::outs() << "| `" << text << "` | "
                   << (name.hasInterface<DifferentiableOpInterface>() ? "yes" : "no") << " |\n";
  }
  return 0;
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
  Program program = readProgram(inputPath, registry, printer, remarks->get());
  if (!program.text)
    return 1;
  llvm::raw_ostream *seen = isProgramUnseen(outputPath) ? nullptr : &output->stream();
  bool isOptimized = succeeded(optimize(std::move(program), registry, remarks->get(), seen));
  if (*remarks)
    if (llvm::Error failure = (*remarks)->finish())
      return fail(llvm::toString(std::move(failure)));
  if (!isOptimized)
    return 1;
  if (llvm::Error failure = output->commit())
    return fail(llvm::toString(std::move(failure)));
  return 0;
}

static int runWith(int argc, char **argv) {
  DialectRegistry registry;
  registerAllTuttiDialects(registry);
  registerAllTuttiPasses();
  printOpOnDiagnostic().setInitialValue(false);
  hideOptionsOfLibraries();
  std::vector<std::string> arguments = joinKeys(llvm::ArrayRef<const char *>(argv, argc));
  std::string header = registerCLIOptions("dist-opt: rewrites training programs\n", registry);
  verifyOnce();
  if (std::optional<int> status = answerHelp(arguments))
    return *status;
  auto complain = [](const Twine &problem) { return fail(problem), failure(); };
  if (failed(checkKeys(arguments, complain)))
    return 1;
  std::vector<char *> words;
  for (std::string &argument : arguments)
    words.push_back(argument.data());
  auto [inputPath, outputPath] = parseCLIOptions(words.size(), words.data(), header);
  if (shardingRules)
    return printShardingRules(registry);
  if (operatorTable)
    return printOperators(registry);
  if (std::string problem = whyBadSizes(); !problem.empty())
    return fail(problem), 1;
  if (checkStyle != CheckStyle::None)
    return check(
        {inputPath, checkStyle, keysOf(arguments, "train"), keysOf(arguments, "distribute")},
        registry);
  return run(inputPath, outputPath, registry);
}

int main(int argc, char **argv) {
  tutti::runtime::output::secure_standard_streams();
  llvm::InitLLVM init(argc, argv);
  tutti::runtime::output::ignore_size_signal(); // after LLVM, which ends the process on it
  return tutti::finishStandardOutput(runWith(argc, argv));
}
