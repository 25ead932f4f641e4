// dist-opt: reads a training program (ONNX, MLIR text or MLIR bytecode), runs passes on it, prints
// it. It is MlirOptMain with an ONNX importer in front and an output file that is whole or absent.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/ImportOnnx.h"
#include "lib/frontend/InputFormat.h"
#include "lib/frontend/NodeDiagnostics.h"
#include "lib/frontend/RemarkPrinter.h"
#include "lib/output/OutputFile.h"
#include "passes/planning/Passes.h"
#include "runtime/output/SameFile.h"
#include "runtime/output/StandardStreams.h"
#include "tools/registration/RegisterAll.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using tutti::frontend::InputFormat;
using tutti::frontend::RemarkPrinter;
using tutti::frontend::RemarkStyle;

static llvm::cl::OptionCategory inputCategory("Input");
static llvm::cl::opt<bool>
    importOnly("import-only", llvm::cl::desc("Print the program as imported; run no passes"),
               llvm::cl::cat(inputCategory));

static llvm::cl::opt<RemarkStyle>
    remarkStyle("remarks",
                llvm::cl::desc("Say what passes did, left alone, and why; --remarks-filter chooses "
                               "passes"),
                llvm::cl::ValueOptional, llvm::cl::init(RemarkStyle::None),
                llvm::cl::values(clEnumValN(RemarkStyle::Text, "text", "one line each"),
                                 clEnumValN(RemarkStyle::Json, "json", "one JSON object a line"),
                                 clEnumValN(RemarkStyle::Text, "", "")),
                llvm::cl::cat(inputCategory));
static llvm::cl::opt<std::string> remarkFile("remarks-file",
                                             llvm::cl::desc("Where to, instead of standard error"),
                                             llvm::cl::value_desc("filename"),
                                             llvm::cl::cat(inputCategory));

static llvm::cl::OptionCategory planCategory("Plan");
static llvm::cl::opt<std::string>
    planFile("plan", llvm::cl::desc("Write the communication plan as JSON; - is standard output"),
             llvm::cl::value_desc("file"), llvm::cl::cat(planCategory));
static llvm::cl::opt<bool>
    planTable("plan-table",
              llvm::cl::desc("Print the communication plan as a table, instead of the program"),
              llvm::cl::cat(planCategory));
static llvm::cl::opt<std::string>
    clusterFile("cluster", llvm::cl::desc("Predict times on the cluster of this file"),
                llvm::cl::value_desc("cluster.json"), llvm::cl::cat(planCategory));
static llvm::cl::opt<int64_t>
    planRanks("plan-ranks", llvm::cl::init(0),
              llvm::cl::desc("Predict for N ranks (default: those of the program, or the cluster)"),
              llvm::cl::value_desc("N"), llvm::cl::cat(planCategory));

/// Weights in bytecode are used where they lie, so the file must be aligned as they want to be.
static constexpr llvm::Align inputAlignment = llvm::Align::Constant<64>();

static int fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "dist-opt") << message << "\n";
  return 1;
}

/// LLVM's own code generation options would bury ours in --help; they still work.
static void hideOptionsOfLibraries() {
  for (auto &option : llvm::cl::getRegisteredOptions())
    if (!llvm::is_contained(option.second->Categories, &inputCategory) &&
        !llvm::is_contained(option.second->Categories, &planCategory) &&
        option.second->getOptionHiddenFlag() == llvm::cl::NotHidden && option.first != "help")
      option.second->setHiddenFlag(llvm::cl::Hidden);
}

/// Imports an ONNX file and hands it on as bytecode, which keeps locations and weights bit for bit.
/// Null after an error that was printed.
static std::unique_ptr<llvm::MemoryBuffer>
importAsBytecode(StringRef path, llvm::MemoryBufferRef file, const DialectRegistry &registry) {
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler printer(sources, &context);
  tutti::frontend::nameNodesInDiagnostics(&context);
  OwningOpRef<ModuleOp> module = tutti::frontend::importOnnx(path, file.getBuffer(), &context);
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

/// Standard output has room for one of program and plan; -o tells where the program goes then.
static bool replacesProgram(StringRef outputPath) {
  return outputPath == "-" && (planTable || planFile == "-");
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
  auto unlessStandard = [](const std::string &path) { return path == "-" ? "" : path; };
  std::vector<NamedPath> others = {{"--plan", unlessStandard(planFile)},
                                   {"--remarks-file", remarkFile}};
  tutti::runtime::Error error =
      check_outputs(others, {{"dist-opt", input}, {"--cluster", clusterFile}});
  if (!error) {
    others.push_back({"-o", unlessStandard(output)});
    error = check_outputs(others, {{"--cluster", clusterFile}});
  }
  return error ? fail(error.message), failure() : success();
}

/// The plan is that of the program behind all passes.
static void addPlan(PassManager &passes) {
  tutti::planning::CollectiveEmitPlanPassOptions options;
  options.file = planFile;
  options.table = planTable ? "-" : "";
  options.cluster = clusterFile;
  options.ranks = planRanks;
  passes.addPass(tutti::planning::createCollectiveEmitPlanPass(options));
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
    tutti::frontend::nameNodesInDiagnostics(passes.getContext());
    if (remarks)
      remarks->attachTo(passes.getContext());
    if (failed(pipeline.setupPassPipeline(passes)))
      return failure();
    if (wantsPlan())
      addPlan(passes);
    return success();
  });
  return MlirOptMain(out, std::move(input), registry, config);
}

int main(int argc, char **argv) {
  tutti::runtime::output::secure_standard_streams();
  llvm::InitLLVM init(argc, argv);
  hideOptionsOfLibraries();
  DialectRegistry registry;
  tutti::registerAllTuttiDialects(registry);
  tutti::registerAllTuttiPasses();
  auto [inputPath, outputPath] =
      registerAndParseCLIOptions(argc, argv, "dist-opt: rewrites training programs\n", registry);

  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return failed(
        MlirOptMain(llvm::outs(), llvm::MemoryBuffer::getMemBuffer(""), registry, config));

  if (failed(checkPlanFlags()))
    return 1;

  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputPath, inputAlignment, &error);
  if (!input)
    return fail(error);
  if (failed(checkOutputs(inputPath, outputPath)))
    return 1;
  llvm::Expected<tutti::OutputFile> output = tutti::OutputFile::open(outputPath);
  if (!output)
    return fail(llvm::toString(output.takeError()));
  auto remarks = RemarkPrinter::create({remarkStyle, config.getRemarksAllFilter(), remarkFile});
  if (!remarks)
    return fail(llvm::toString(remarks.takeError()));

  InputFormat format = tutti::frontend::detectInputFormat(input->getBuffer());
  if (format == InputFormat::Unknown)
    return fail("'" + inputPath +
                "': " + tutti::frontend::explainUnknownFormat(input->getBuffer()));
  if (format == InputFormat::Onnx) {
    input = importAsBytecode(inputPath, *input, registry);
    if (!input)
      return 1;
  }
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
