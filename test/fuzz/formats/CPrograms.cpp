// Bytes as a program that somebody gives to the C API, and all that can be asked of it there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/formats/CallC.h"

using namespace tutti::fuzz;

/// Until something is refused.
static void useProgram(MlirModule program) {
  TuttiOptions options = tuttiOptionsCreate(TUTTI_DISTRIBUTE);
  tuttiPlanAsJson(program, refTo(""), 2, readText, nullptr, readDiagnostic, nullptr);
  tuttiVerify(program, readDiagnostic, nullptr);
  MlirLogicalResult done = tuttiRunPipeline(program, options, readDiagnostic, nullptr);
  if (mlirLogicalResultIsSuccess(done))
    tuttiSpecializeWorld(program, 2, readDiagnostic, nullptr);
  tuttiProgramPrint(program, readText, nullptr);
  tuttiOptionsDestroy(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static ScratchFile file("program");
  std::string_view content = textOf(data, size);
  // MLIR's reader of bytecode ends the process where a size in the file is absurd.
  if (content.substr(0, 3) == "ML\xef")
    return 0;
  MlirContext context = nextCContext();
  for (bool isFile : {false, true}) {
    MlirModule program =
        isFile
            ? tuttiProgramRead(context, refTo(file.write(content)), readDiagnostic, nullptr)
            : tuttiProgramParse(context, refTo(content), refTo("memory"), readDiagnostic, nullptr);
    if (program.ptr)
      useProgram(program);
    tuttiProgramDestroy(program);
  }
  expectSilence();
  return 0;
}
