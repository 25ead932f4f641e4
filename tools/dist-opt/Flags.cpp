// Declares the flags.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-opt/Flags.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using tutti::CheckStyle;
using tutti::diagnostics::RemarkStyle;

cl::OptionCategory tutti::inputCategory("Input and output");
cl::OptionCategory tutti::planCategory("Plan");

cl::opt<bool> tutti::importOnly("import-only",
                                cl::desc("Print the program as imported; run no passes"),
                                cl::cat(inputCategory));

cl::opt<std::string> tutti::optimizerModel(
    "optimizer-model",
    cl::desc("The optimizer model that belongs to a training model of ONNX Runtime (default: "
             "optimizer_model.onnx in the same folder)"),
    cl::value_desc("FILE"), cl::cat(inputCategory));
cl::opt<std::string> tutti::checkpointFile(
    "checkpoint",
    cl::desc("The checkpoint that belongs to a training model of ONNX Runtime (default: "
             "checkpoint in the same folder)"),
    cl::value_desc("FILE"), cl::cat(inputCategory));
cl::opt<std::string> tutti::variablesFile(
    "variables",
    cl::desc(
        "Values of inputs or initializers of an ONNX model, by name: parameters that its graph "
        "takes as inputs"),
    cl::value_desc("FILE.safetensors"), cl::cat(inputCategory));
static cl::list<std::string> givenSizes(
    "size",
    cl::desc("The size of a dimension that an ONNX model names and leaves open, e.g. time=128"),
    cl::value_desc("NAME=SIZE,..."), cl::CommaSeparated, cl::cat(tutti::inputCategory));
cl::opt<std::string> tutti::exportFile(
    "export-onnx",
    cl::desc("Write the program after all passes as an ONNX model, instead of MLIR text unless -o "
             "says where that goes"),
    cl::value_desc("FILE.onnx"), cl::cat(inputCategory));

cl::opt<CheckStyle> tutti::checkStyle(
    "check",
    cl::desc("List all that keeps the model from being trained, with what to do about it, as text "
             "(default) or json"),
    cl::ValueOptional, cl::init(CheckStyle::None),
    cl::values(clEnumValN(CheckStyle::Text, "text", "a list"),
               clEnumValN(CheckStyle::Json, "json", "one JSON object"),
               clEnumValN(CheckStyle::Text, "", "")),
    cl::cat(inputCategory));

cl::opt<bool> tutti::shardingRules(
    "sharding-rules",
    cl::desc("Print what splitting the tensors of each operation means, as a table, and stop"),
    cl::cat(inputCategory));

cl::opt<bool> tutti::operatorTable(
    "operators", cl::desc("Print the operations of ONNX, and which have gradients, and stop"),
    cl::cat(inputCategory));

cl::opt<std::string> tutti::verifyKeys(
    "verify",
    cl::desc("Compare the program after all passes with that of one device, exactly: ranks=2,3,4 "
             "steps=2 seed=1"),
    cl::value_desc("KEY=VALUE ..."), cl::ValueOptional, cl::cat(inputCategory));

cl::opt<RemarkStyle> tutti::remarkStyle(
    "remarks",
    cl::desc("Say what passes did, left alone, and why, as text (default) or json; "
             "--remarks-filter chooses passes"),
    cl::ValueOptional, cl::init(RemarkStyle::None),
    cl::values(clEnumValN(RemarkStyle::Text, "text", "one line each"),
               clEnumValN(RemarkStyle::Json, "json", "one JSON object a line"),
               clEnumValN(RemarkStyle::Text, "", "")),
    cl::cat(inputCategory));
cl::opt<std::string> tutti::remarkFile("remarks-file",
                                       cl::desc("Where to, instead of standard error"),
                                       cl::value_desc("FILE"), cl::cat(inputCategory));

cl::opt<std::string>
    tutti::planFile("plan", cl::desc("Write the communication plan as JSON; - is standard output"),
                    cl::value_desc("FILE"), cl::cat(planCategory));
cl::opt<bool>
    tutti::planTable("plan-table",
                     cl::desc("Print the communication plan as a table, instead of the program"),
                     cl::cat(planCategory));
cl::opt<std::string> tutti::clusterFile("cluster",
                                        cl::desc("Predict times on the cluster of this file"),
                                        cl::value_desc("cluster.json"), cl::cat(planCategory));
cl::opt<int64_t> tutti::planRanks(
    "plan-ranks", cl::init(0),
    cl::desc("Predict for N ranks (default: those of the program, or the cluster)"),
    cl::value_desc("N"), cl::cat(planCategory));

tutti::frontend::GivenFiles tutti::givenFiles() {
  frontend::GivenFiles given{{optimizerModel, checkpointFile}, variablesFile};
  for (const std::string &pair : givenSizes)
    (void)given.sizes.add(pair);
  return given;
}

std::string tutti::whyBadSizes() {
  frontend::GivenSizes sizes;
  for (const std::string &pair : givenSizes)
    if (std::string problem = sizes.add(pair); !problem.empty())
      return "--size: " + problem;
  return "";
}

cl::opt<bool> &tutti::printOpOnDiagnostic() {
  mlir::registerMLIRContextCLOptions();
  cl::Option *option = cl::getRegisteredOptions().lookup("mlir-print-op-on-diagnostic");
  return *static_cast<cl::opt<bool> *>(option);
}

void tutti::verifyOnce() {
  cl::Option *option = cl::getRegisteredOptions().lookup("verify-each");
  static_cast<cl::opt<bool, /*ExternalStorage=*/true> *>(option)->setInitialValue(false);
}

void tutti::hideOptionsOfLibraries() {
  for (auto &entry : cl::getRegisteredOptions()) {
    cl::Option &option = *entry.second;
    bool isOurs = is_contained(option.Categories, &inputCategory) ||
                  is_contained(option.Categories, &planCategory);
    if (!isOurs && option.getOptionHiddenFlag() == cl::NotHidden)
      option.setHiddenFlag(cl::Hidden);
  }
}
