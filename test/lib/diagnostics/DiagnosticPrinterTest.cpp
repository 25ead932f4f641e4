// Diagnostics as lines, and as few of them as people read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/diagnostics/DiagnosticPrinter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tutti::diagnostics;
using testing::HasSubstr;
using testing::Not;

namespace {

struct DiagnosticPrinterTest : testing::Test {
  DiagnosticPrinterTest() : context(MLIRContext::Threading::DISABLED) {}

  Location at(unsigned line, unsigned column) {
    return FileLineColLoc::get(&context, "step.mlir", line, column);
  }
  Location node(StringRef name) {
    return NameLoc::get(StringAttr::get(&context, name),
                        FileLineColLoc::get(&context, "m.onnx", 0, 0));
  }
  size_t lines() const { return llvm::count(printed, '\n'); }

  MLIRContext context;
  std::string printed;
  llvm::raw_string_ostream out{printed};
  DiagnosticPrinter printer{"tool", /*printAll=*/false, out};
};

TEST_F(DiagnosticPrinterTest, NamesThePlace) {
  printer.attachTo(&context);
  emitError(at(3, 7)) << "one";
  emitWarning(node("conv1")) << "two";
  emitError(UnknownLoc::get(&context)) << "three";
  EXPECT_EQ(printed, "step.mlir:3:7: error: one\n"
                     "m.onnx: warning: two [ONNX node 'conv1']\n"
                     "tool: error: three\n");
}

TEST_F(DiagnosticPrinterTest, KnowsWhetherThereWasAnError) {
  printer.attachTo(&context);
  emitWarning(at(1, 1)) << "careful";
  EXPECT_FALSE(printer.hasPrintedError());
  emitError(at(1, 1)) << "no";
  EXPECT_TRUE(printer.hasPrintedError());
}

TEST_F(DiagnosticPrinterTest, ShowsTheLineOfTheSource) {
  printer.setSource(llvm::MemoryBufferRef("module {\n\t%a = foo\n}\n", "step.mlir"));
  printer.attachTo(&context);
  emitError(at(2, 7)) << "no foo";
  EXPECT_EQ(printed, "step.mlir:2:7: error: no foo\n\t%a = foo\n\t     ^\n");
}

TEST_F(DiagnosticPrinterTest, ALineOfAnotherFileIsNotShown) {
  printer.setSource(llvm::MemoryBufferRef("module {\n}\n", "other.mlir"));
  printer.attachTo(&context);
  emitError(at(1, 1)) << "no";
  EXPECT_EQ(lines(), 1U);
}

TEST_F(DiagnosticPrinterTest, PlacesAfterTheSourceAreHarmless) {
  printer.setSource(llvm::MemoryBufferRef("module {}", "step.mlir"));
  printer.attachTo(&context);
  emitError(at(99, 1)) << "far";
  emitError(at(1, 99)) << "wide";
  EXPECT_EQ(lines(), 2U);
}

TEST_F(DiagnosticPrinterTest, ALongLineIsNotShown) {
  std::string text(100000, 'x');
  printer.setSource(llvm::MemoryBufferRef(text, "step.mlir"));
  printer.attachTo(&context);
  emitError(at(1, 5)) << "no";
  EXPECT_EQ(lines(), 1U);
}

TEST_F(DiagnosticPrinterTest, NotesComeBeforeTheLineOfTheSource) {
  printer.setSource(llvm::MemoryBufferRef("module {}\n", "step.mlir"));
  printer.attachTo(&context);
  {
    InFlightDiagnostic error = emitError(at(1, 1)) << "no";
    for (int i = 0; i < 3; ++i)
      error.attachNote(at(1, 1 + i)) << "note " << i;
  }
  EXPECT_EQ(lines(), 4U) << "with the line it would be six";
  EXPECT_THAT(printed, HasSubstr("step.mlir:1:3: note: note 2\n"));
}

TEST_F(DiagnosticPrinterTest, AtMostFiveLinesWhateverThereIs) {
  printer.attachTo(&context);
  {
    InFlightDiagnostic error = emitError(at(1, 1)) << "no";
    for (int i = 0; i < 100; ++i)
      error.attachNote(at(1, 1)) << "a note\nof two lines";
  }
  EXPECT_EQ(lines(), DiagnosticPrinter::mostLines);
  EXPECT_THAT(printed, HasSubstr("... and 197 more lines\n"));
}

TEST_F(DiagnosticPrinterTest, WhoAsksForAllGetsAll) {
  DiagnosticPrinter all("tool", /*printAll=*/true, out);
  all.attachTo(&context);
  {
    InFlightDiagnostic error = emitError(at(1, 1)) << std::string(3000, 'x');
    for (int i = 0; i < 100; ++i)
      error.attachNote(at(1, 1)) << "a note";
  }
  EXPECT_EQ(lines(), 101U);
  EXPECT_GT(printed.size(), 3000U);
}

TEST_F(DiagnosticPrinterTest, ALongMessageIsCutInWholeLetters) {
  printer.attachTo(&context);
  std::string euros;
  for (int i = 0; i < 1000; ++i)
    euros += "\xe2\x82\xac";
  emitError(at(1, 1)) << euros;
  EXPECT_LT(printed.size(), DiagnosticPrinter::mostBytesOfLine + 100);
  EXPECT_THAT(printed, testing::EndsWith("\xe2\x82\xac ...\n"));
}

TEST_F(DiagnosticPrinterTest, ATerminalDoesNotObeyNamesOfNodes) {
  printer.attachTo(&context);
  emitError(node("\x1b[2Jevil\r")) << "no";
  EXPECT_THAT(printed, HasSubstr("\\x1B[2Jevil\\x0D"));
  EXPECT_THAT(printed, Not(HasSubstr("\x1b")));
}

TEST_F(DiagnosticPrinterTest, AttachesToContextsOfARegistry) {
  DialectRegistry registry;
  registry.insert<func::FuncDialect>();
  printer.attachToContextsOf(registry);
  for (int round = 0; round < 2; ++round) {
    MLIRContext made(registry);
    std::string others;
    ScopedDiagnosticHandler tool(&made, [&](Diagnostic &diagnostic) {
      others += diagnostic.str();
      return success();
    });
    emitError(UnknownLoc::get(&made)) << "early;";
    made.loadDialect<func::FuncDialect>();
    emitError(UnknownLoc::get(&made)) << "late";
    EXPECT_EQ(others, "early;") << "from then on the printer comes first";
  }
  EXPECT_EQ(printed, "tool: error: late\ntool: error: late\n");
}

TEST_F(DiagnosticPrinterTest, ForeignToolsGetNotesOfOneLine) {
  DialectRegistry registry;
  registry.insert<func::FuncDialect>();
  shortenNotes(registry);
  MLIRContext made(registry);
  std::vector<std::string> notes;
  ScopedDiagnosticHandler tool(&made, [&](Diagnostic &diagnostic) {
    for (Diagnostic &note : diagnostic.getNotes())
      notes.push_back(note.str());
    return success();
  });
  made.loadDialect<func::FuncDialect>();
  OpBuilder builder(&made);
  auto module = OwningOpRef<ModuleOp>(ModuleOp::create(builder.getUnknownLoc()));
  module->setSymName("large");
  (void)module->emitError("no");
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes.front(), testing::StartsWith("see current operation: "));
  EXPECT_THAT(notes.front(), HasSubstr("module"));
  EXPECT_THAT(notes.front(), Not(HasSubstr("\n")));
  notes.clear();
  emitError(builder.getUnknownLoc()).attachNote() << "short " << 7;
  EXPECT_THAT(notes, testing::ElementsAre("short 7"));
}

} // namespace
