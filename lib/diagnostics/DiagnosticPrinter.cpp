// Diagnostics as lines of text, and which of the lines are left out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/diagnostics/DiagnosticPrinter.h"

#include "lib/diagnostics/ContextHook.h"
#include "lib/diagnostics/NodeDiagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace tutti::diagnostics;

/// A line, and what stands in front of it where it begins a message.
struct DiagnosticPrinter::Line {
  std::string text;
  std::string place;
  std::optional<DiagnosticSeverity> severity;
};

static llvm::HighlightColor colorOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return llvm::HighlightColor::Error;
  case DiagnosticSeverity::Warning:
    return llvm::HighlightColor::Warning;
  case DiagnosticSeverity::Note:
    return llvm::HighlightColor::Note;
  case DiagnosticSeverity::Remark:
    return llvm::HighlightColor::Remark;
  }
  llvm_unreachable("a severity that MLIR does not have");
}

static StringRef nameOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error: ";
  case DiagnosticSeverity::Warning:
    return "warning: ";
  case DiagnosticSeverity::Note:
    return "note: ";
  case DiagnosticSeverity::Remark:
    return "remark: ";
  }
  llvm_unreachable("a severity that MLIR does not have");
}

/// Names in models may hold anything; a terminal must not obey them.
static std::string withoutControlCharacters(StringRef text) {
  std::string printable;
  for (char c : text) {
    if ((c >= 0 && c < ' ' && c != '\t') || c == 0x7f)
      printable += "\\x" + llvm::toHex(StringRef(&c, 1));
    else
      printable += c;
  }
  return printable;
}

/// At most `size` bytes of `text`, in whole characters of UTF-8.
static std::string cut(std::string text, size_t size) {
  if (text.size() <= size)
    return text;
  while (size > 0 && (text[size] & 0xc0) == 0x80)
    --size;
  return text.substr(0, size) + " ...";
}

std::string DiagnosticPrinter::placeOf(Location location) const {
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place)
    return tool;
  std::string file = place.getFilename().str();
  if (place.getLine() == 0) // an ONNX file has no lines
    return file;
  return file + ":" + std::to_string(place.getLine()) + ":" + std::to_string(place.getColumn());
}

void DiagnosticPrinter::addMessage(const Diagnostic &diagnostic, std::vector<Line> &lines) const {
  std::string message = diagnostic.str();
  SmallVector<StringRef> texts;
  StringRef(message).split(texts, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (texts.empty())
    texts.push_back("");
  for (StringRef text : texts)
    lines.push_back({withoutControlCharacters(text), "", std::nullopt});
  Line &first = lines[lines.size() - texts.size()];
  first.place = withoutControlCharacters(placeOf(diagnostic.getLocation()));
  first.severity = diagnostic.getSeverity();
}

/// The line of the source and a mark below the column; nothing for another file or a long line.
std::vector<DiagnosticPrinter::Line> DiagnosticPrinter::excerpt(Location location) const {
  constexpr size_t longestExcerpt = 200;
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place || place.getLine() == 0 || place.getFilename() != source.getBufferIdentifier())
    return {};
  llvm::line_iterator line(source, /*SkipBlanks=*/false);
  while (!line.is_at_eof() && line.line_number() < place.getLine())
    ++line;
  if (line.is_at_eof() || line->size() > longestExcerpt || place.getColumn() > line->size() + 1)
    return {};
  std::string margin = line->substr(0, std::max(place.getColumn(), 1u) - 1).str();
  for (char &c : margin)
    c = c == '\t' ? '\t' : ' ';
  return {{withoutControlCharacters(*line), "", std::nullopt}, {margin + "^", "", std::nullopt}};
}

void DiagnosticPrinter::print(const Diagnostic &diagnostic) {
  printedError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
  std::vector<Line> lines, notes;
  addMessage(diagnostic, lines);
  for (const Diagnostic &note : diagnostic.getNotes())
    addMessage(note, notes);
  std::vector<Line> source = excerpt(diagnostic.getLocation());
  if (printAll || lines.size() + source.size() + notes.size() <= mostLines)
    llvm::append_range(lines, source);
  llvm::append_range(lines, notes);
  if (!printAll && lines.size() > mostLines) {
    size_t more = lines.size() - mostLines + 1;
    lines.resize(mostLines - 1);
    lines.push_back({"... and " + std::to_string(more) + " more lines", "", std::nullopt});
  }
  std::string text; // in one piece: ranks under a launcher share the terminal
  llvm::raw_string_ostream stream(text);
  stream.enable_colors(out.has_colors());
  for (const Line &line : lines) {
    if (!line.place.empty())
      stream << line.place << ": ";
    if (line.severity)
      llvm::WithColor(stream, colorOf(*line.severity)) << nameOf(*line.severity);
    stream << (printAll ? line.text : cut(line.text, mostBytesOfLine)) << "\n";
  }
  stream.flush();
  if (diagnostic.getSeverity() == DiagnosticSeverity::Warning && !warnings.insert(text).second)
    return; // said of a copy of the program before
  out << text;
  out.flush();
}

void DiagnosticPrinter::attachTo(MLIRContext *context) {
  context->getDiagEngine().registerHandler(
      [this](Diagnostic &diagnostic) { return print(diagnostic), success(); });
  nameNodesInDiagnostics(context); // comes first: handlers are called in reverse order
}

void DiagnosticPrinter::attachToContextsOf(DialectRegistry &registry) {
  registry.addExtension(
      TypeID::get<DiagnosticPrinter>(),
      std::make_unique<ContextHook>([this](MLIRContext *context) { attachTo(context); }));
}
