// From the LLVM dialect to machine code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/code/ObjectCode.h"

#include "lib/execution/files/Descriptor.h"
#include "tutti/program.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace tutti::execution;

std::string tutti::execution::describeTarget(const Instructions &instructions) {
  return llvm::sys::getDefaultTargetTriple() + " " + instructions.processor + " " +
         instructions.features;
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(const Instructions &instructions, unsigned optimization) {
  static const bool initialized =
      !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter() &&
      !llvm::InitializeNativeTargetAsmParser(); // without it inline assembly ends the process
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string error;
  const llvm::Target *target =
      initialized ? llvm::TargetRegistry::lookupTarget(triple, error) : nullptr;
  if (!target)
    return llvm::createStringError("no code generator for " + triple.str() + ": " + error);
  auto level = llvm::CodeGenOpt::getLevel(optimization).value_or(llvm::CodeGenOptLevel::Aggressive);
  llvm::TargetOptions options;
  options.UseInitArray = true; // where checkSharedObject() looks for code that runs by itself
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, instructions.processor, instructions.features, options,
                                  llvm::Reloc::PIC_, std::nullopt, level));
  if (!machine)
    return llvm::createStringError("no code generator for " + triple.str());
  return machine;
}

static llvm::Expected<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp module,
                                                               llvm::LLVMContext &context) {
  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  module->getContext()->appendDialectRegistry(registry);
  auto translated = mlir::translateModuleToLLVMIR(module, context);
  if (!translated)
    return llvm::createStringError("the program cannot be translated to LLVM IR");
  return translated;
}

static void addManifest(llvm::Module &module, llvm::StringRef manifest) {
  auto *text = llvm::ConstantDataArray::getString(module.getContext(), manifest);
  new llvm::GlobalVariable(module, text->getType(), /*isConstant=*/true,
                           llvm::GlobalValue::ExternalLinkage, text, TUTTI_SYMBOL_MANIFEST);
}

/// Code reaches what is near by 32-bit offsets: of all constants together at most 2 GiB. Those of
/// variables can be larger; they go to the sections of the psABI's large model, and are reached by
/// 64-bit offsets.
static void keepLargeConstantsApart(llvm::Module &module) {
  constexpr uint64_t large = 64 << 10;
  const llvm::DataLayout &layout = module.getDataLayout();
  for (llvm::GlobalVariable &variable : module.globals())
    if (!variable.isDeclaration() && layout.getTypeAllocSize(variable.getValueType()) > large)
      variable.setCodeModel(llvm::CodeModel::Large);
}

/// What the loader can find: nothing but what program.h names, whatever else the program names.
static void hideAllButEntryPoints(llvm::Module &module) {
  static constexpr llvm::StringLiteral shown[] = {TUTTI_SYMBOL_MANIFEST, TUTTI_SYMBOL_INITIALIZE,
                                                  TUTTI_SYMBOL_STEP,     TUTTI_SYMBOL_EVALUATE,
                                                  TUTTI_SYMBOL_PREFETCH, TUTTI_SYMBOL_VALUES};
  for (llvm::GlobalValue &value : module.global_values())
    if (!value.isDeclaration() && !value.hasLocalLinkage() &&
        !value.getName().starts_with("llvm.") && !llvm::is_contained(shown, value.getName()))
      value.setLinkage(llvm::GlobalValue::InternalLinkage);
}

/// Keeps what LLVM would print and then end the process for.
static void collectErrors(llvm::LLVMContext &context, std::string &errors) {
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *info, void *out) {
        if (info->getSeverity() != llvm::DS_Error)
          return;
        llvm::raw_string_ostream stream(*static_cast<std::string *>(out));
        llvm::DiagnosticPrinterRawOStream printer(stream);
        info->print(printer);
        stream << "; ";
      },
      &errors);
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine, unsigned optimization) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  static constexpr const llvm::OptimizationLevel *levels[] = {
      &llvm::OptimizationLevel::O0, &llvm::OptimizationLevel::O1, &llvm::OptimizationLevel::O2,
      &llvm::OptimizationLevel::O3};
  const llvm::OptimizationLevel &level = *levels[std::min(optimization, 3u)];
  auto passes = optimization == 0 ? builder.buildO0DefaultPipeline(level)
                                  : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
}

static llvm::Error emit(llvm::Module &module, llvm::TargetMachine &machine, llvm::StringRef path) {
  std::error_code code;
  llvm::raw_fd_ostream out(path, code);
  if (code)
    return systemError("cannot write '" + path + "'", code);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("the code generator cannot write object files");
  passes.run(module);
  out.close();
  if (out.has_error()) {
    code = out.error();
    out.clear_error();
    return systemError("cannot write '" + path + "'", code);
  }
  return llvm::Error::success();
}

llvm::Error tutti::execution::writeObject(mlir::ModuleOp module, llvm::StringRef manifest,
                                          const Instructions &instructions, unsigned optimization,
                                          llvm::StringRef path) {
  auto machine = createMachine(instructions, optimization);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  std::string errors;
  collectErrors(context, errors);
  auto translated = translate(module, context);
  if (!translated)
    return translated.takeError();
  llvm::Module &code = **translated;
  code.setTargetTriple((*machine)->getTargetTriple());
  code.setDataLayout((*machine)->createDataLayout());
  addManifest(code, manifest);
  hideAllButEntryPoints(code);
  keepLargeConstantsApart(code);
  // Loops here are long: the widest registers pay. (LLVM's default holds back for short ones.)
  for (llvm::Function &function : code)
    if (!function.isDeclaration())
      function.addFnAttr("prefer-vector-width", "512");
  optimize(code, **machine, optimization);
  llvm::Error error = emit(code, **machine, path);
  if (error || errors.empty())
    return error;
  return llvm::createStringError("no machine code for the program: " +
                                 llvm::StringRef(errors).rtrim("; "));
}
