// A streamer of MLIR's remark engine that prints lines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/diagnostics/RemarkPrinter.h"

#include "lib/diagnostics/QuietDiagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::diagnostics;
using remark::detail::Remark;

/// The node that a location stands for, or "".
static StringRef nodeOf(Location location) {
  auto named = location->findInstanceOf<NameLoc>();
  return named ? named.getName().getValue() : "";
}

static FileLineColLoc placeOf(Location location) {
  return location->findInstanceOf<FileLineColLoc>();
}

static StringRef kindOf(const Remark &remark) {
  switch (remark.getRemarkType()) {
  case llvm::remarks::Type::Passed:
    return "passed";
  case llvm::remarks::Type::Missed:
    return "missed";
  case llvm::remarks::Type::Failure:
    return "failure";
  default:
    return "analysis";
  }
}

static bool isText(const Remark::Arg &argument) { return argument.key == "Remark"; }

/// The pieces that the pass wrote, in order.
static std::string messageOf(const Remark &remark) {
  std::string message;
  for (const Remark::Arg &argument : remark.getArgs())
    if (isText(argument))
      message += argument.val;
  return message;
}

static void printText(const Remark &remark, llvm::raw_ostream &out) {
  out << "remark: ";
  if (StringRef node = nodeOf(remark.getLocation()); !node.empty())
    out << node << ": ";
  else if (FileLineColLoc place = placeOf(remark.getLocation()))
    out << place.getFilename().getValue() << ":" << place.getLine() << ": ";
  out << messageOf(remark);
  for (const Remark::Arg &argument : remark.getArgs())
    if (!isText(argument))
      out << "; " << argument.key << ": " << argument.val;
  out << " [" << remark.getCategoryName() << ", " << kindOf(remark) << "]\n";
}

std::string diagnostics::spellNote(const Remark &remark) {
  constexpr size_t enough = 5;
  std::string text = messageOf(remark);
  for (const Remark::Arg &argument : remark.getArgs()) {
    if (argument.key != "names")
      continue;
    SmallVector<StringRef> names;
    StringRef(argument.val).split(names, ", ");
    text += ": " + llvm::join(ArrayRef(names).take_front(enough), ", ");
    if (names.size() > enough)
      text += " and " + std::to_string(names.size() - enough) + " more";
  }
  return text;
}

/// JSON texts are UTF-8; names in models need not be.
static std::string utf8(StringRef text) { return llvm::json::fixUTF8(text); }

static llvm::json::Object toJson(const Remark &remark) {
  llvm::json::Object object{{"pass", utf8(remark.getCategoryName())},
                            {"kind", kindOf(remark)},
                            {"message", utf8(messageOf(remark))},
                            {"function", utf8(remark.getFunction())}};
  if (StringRef node = nodeOf(remark.getLocation()); !node.empty())
    object["node"] = utf8(node);
  if (FileLineColLoc place = placeOf(remark.getLocation())) {
    object["file"] = utf8(place.getFilename().getValue());
    object["line"] = place.getLine();
  }
  llvm::json::Object arguments;
  for (const Remark::Arg &argument : remark.getArgs())
    if (!isText(argument))
      arguments[utf8(argument.key)] = utf8(argument.val);
  object["args"] = std::move(arguments);
  return object;
}

namespace {
struct Streamer : remark::detail::MLIRRemarkStreamerBase {
  Streamer(RemarkPrinter &printer, MLIRContext *context) : printer(printer), context(context) {}
  void streamOptimizationRemark(const Remark &remark) override {
    if (!QuietRemarks::isQuiet(context))
      printer.print(remark);
  }
  RemarkPrinter &printer;
  MLIRContext *context;
};
} // namespace

llvm::Expected<std::unique_ptr<RemarkPrinter>> RemarkPrinter::create(RemarkOptions options) {
  std::string problem;
  if (!options.filter.empty() && !llvm::Regex(options.filter).isValid(problem))
    return llvm::createStringError("--remarks-filter '" + options.filter + "': " + problem);
  if (options.style == RemarkStyle::None) {
    if (!options.file.empty())
      return llvm::createStringError("--remarks-file needs --remarks=text or --remarks=json");
    if (!options.kept)
      return nullptr;
  }
  std::unique_ptr<RemarkPrinter> printer(new RemarkPrinter(std::move(options)));
  const std::string &path = printer->options.file;
  if (path.empty())
    return printer;
  llvm::Expected<OutputFile> file = OutputFile::open(path);
  if (!file)
    return file.takeError();
  printer->file.emplace(std::move(*file));
  return printer;
}

void RemarkPrinter::attachTo(MLIRContext *context) {
  context->disableMultithreading(); // else their order is that of the threads
  remark::RemarkCategories categories;
  std::string filter = options.filter.empty() || options.kept ? ".*" : options.filter;
  categories.passed = categories.missed = categories.analysis = categories.failed = filter;
  // Fails only if the filter is no regular expression, which was checked.
  (void)remark::enableOptimizationRemarks(*context, std::make_unique<Streamer>(*this, context),
                                          std::make_unique<remark::RemarkEmittingPolicyAll>(),
                                          categories);
}

/// The engine asks the filter, unless all remarks are kept.
bool RemarkPrinter::passesFilter(const Remark &remark) const {
  return !options.kept || options.filter.empty() ||
         llvm::Regex("^(" + options.filter + ")$").match(remark.getCategoryName());
}

void RemarkPrinter::print(const Remark &remark) {
  std::lock_guard<std::mutex> lock(mutex);
  if (options.kept && options.kept->size() < mostKept)
    options.kept->push_back(llvm::formatv("{0}", llvm::json::Value(toJson(remark))));
  if (options.style == RemarkStyle::None || !passesFilter(remark))
    return;
  llvm::raw_ostream &out = file ? file->stream() : llvm::errs();
  if (options.style == RemarkStyle::Notes) {
    if (kindOf(remark) == "analysis")
      out << options.tool << ": " << spellNote(remark) << "\n";
  } else if (options.style == RemarkStyle::Json)
    out << llvm::json::Value(toJson(remark)) << "\n";
  else
    printText(remark, out);
}

llvm::Error RemarkPrinter::finish() { return file ? file->commit() : llvm::Error::success(); }
