// Help in our order, and keys in a word of their own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-opt/CommandLine.h"

#include "lib/options/PassKeys.h"
#include "tools/dist-opt/Flags.h"
#include "tools/registration/PassCatalog.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;

/// NAME of `--NAME` or `-NAME` without a value; else empty.
static StringRef nameOf(StringRef argument) {
  if (argument.contains('=') || !argument.consume_front("-"))
    return "";
  argument.consume_front("-");
  return argument;
}

std::vector<std::string> tutti::joinKeys(ArrayRef<const char *> arguments) {
  std::vector<std::string> joined;
  for (size_t index = 0; index < arguments.size(); ++index) {
    joined.push_back(arguments[index]);
    StringRef name = index > 0 ? nameOf(arguments[index]) : "";
    bool takesKeys =
        name == verifyKeys.ArgStr || (!name.empty() && !tutti::describePass(name).empty());
    if (takesKeys && index + 1 < arguments.size() &&
        tutti::options::isKeyList(arguments[index + 1]))
      joined.back() += "=" + std::string(arguments[++index]);
  }
  return joined;
}

std::optional<std::string> tutti::keysOf(ArrayRef<std::string> arguments, StringRef name) {
  std::optional<std::string> keys;
  for (StringRef argument : arguments.drop_front()) {
    auto [flag, value] = argument.split('=');
    if (flag.consume_front("-") && (flag == name || flag == ("-" + name).str()))
      keys = value.str();
  }
  return keys;
}

LogicalResult tutti::checkKeys(ArrayRef<std::string> arguments, options::Complain complain) {
  for (StringRef argument : arguments.drop_front()) {
    auto [flag, text] = argument.split('=');
    StringRef name = nameOf(flag);
    bool isPipeline = name == "pass-pipeline";
    if (!text.empty() && failed(isPipeline ? options::checkPipelineKeys(text, complain)
                                           : options::checkPassKeys(name, text, complain)))
      return failure();
  }
  return success();
}

static void printLine(StringRef name, StringRef text) {
  outs() << "  " << left_justify(name, 34) << " " << text << "\n";
}

/// The flags of `category`, as they were declared.
static void printFlags(const cl::OptionCategory &category) {
  outs() << "\n" << category.getName() << ":\n";
  std::vector<std::pair<StringRef, cl::Option *>> flags;
  for (auto &entry : cl::getRegisteredOptions())
    if (is_contained(entry.second->Categories, &category))
      flags.push_back({entry.first, entry.second});
  sort(flags);
  for (auto [name, flag] : flags)
    printLine(("--" + name + (flag->ValueStr.empty() ? "" : "=" + flag->ValueStr)).str(),
              flag->HelpStr);
}

static void printHelp() {
  outs() << "dist-opt: rewrites training programs\n\n"
            "USAGE: dist-opt INPUT [--train=\"KEY=VALUE ...\"] [--distribute=\"KEY=VALUE ...\"] "
            "[--PASS ...] [-o FILE]\n\n"
            "INPUT is an ONNX model, MLIR text or MLIR bytecode, found by content; - is standard "
            "input.\nPasses and pipelines run in the order in which they stand.\n";
  printFlags(tutti::inputCategory);
  printLine("-o FILE", "Where the program goes; without it to standard output");
  printLine("--emit-bytecode", "Write bytecode instead of text");
  printLine("--verify-each", "Verify the program after each pass, not only after the last one");
  printFlags(tutti::planCategory);
  outs() << "\nPipelines:\n";
  for (StringRef name : tutti::pipelineNames())
    printLine(("--" + name).str(), tutti::describePass(name));
  for (const tutti::Stage &stage : tutti::passesByStage()) {
    outs() << "\nPasses of " << stage.name << ":\n";
    for (StringRef pass : stage.passes)
      printLine(("--" + pass).str(), tutti::describePass(pass));
  }
  outs() << "\nMore:\n";
  printLine("--help-NAME", "The keys of a pass or pipeline: --help-train, --help-distribute");
  printLine("--help-hidden", "Every flag and pass, those of MLIR and LLVM, too");
}

static int answerAbout(StringRef name) {
  if (tutti::printKeysOf(name, outs()))
    return 0;
  SmallVector<StringRef> names(tutti::pipelineNames());
  SmallVector<tutti::Stage> stages = tutti::passesByStage();
  for (const tutti::Stage &stage : stages)
    append_range(names, stage.passes);
  WithColor::error(errs(), "dist-opt")
      << "--help-" << name << ": there is no pass or pipeline '" << name << "'"
      << tutti::options::didYouMean(name, names) << "; --help lists them\n";
  return 1;
}

std::optional<int> tutti::answerHelp(ArrayRef<std::string> arguments) {
  for (StringRef name : map_range(arguments.drop_front(), nameOf)) {
    if (name == "help" || name == "h")
      return printHelp(), 0;
    bool isLibrarys = name == "help-hidden" || name == "help-list" || name == "help-list-hidden";
    if (name.consume_front("help-") && !isLibrarys)
      return answerAbout(name);
  }
  return std::nullopt;
}
