// Dividing the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/execution/ServedProgram.h"

#include "passes/distribution/Passes.h"
#include "passes/specialize/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace tutti::execution;
using namespace tutti::test;

Served::Served(Compiler &compiler, const std::string &text, bool lazy, int64_t workers,
               std::optional<int64_t> staleness, tutti::distribution::TableWire wire,
               int64_t warmUp) {
  module = compiler.parse(text);
  mlir::PassManager passes(&compiler.context());
  tutti::distribution::ParameterServerPassOptions options;
  options.tables = {"w"};
  options.lazy = lazy;
  options.asynchronous = staleness.has_value();
  options.staleness = staleness.value_or(-1);
  options.warmUp = warmUp;
  options.wire = wire;
  passes.addPass(tutti::distribution::createParameterServerPass(std::move(options)));
  if (mlir::failed(passes.run(*module)))
    throw std::runtime_error(compiler.diagnostics());
  forWorkers =
      std::make_unique<CompiledProgram>(llvm::cantFail(compileProgram(compiler.request(*module))));
  mlir::OwningOpRef<mlir::ModuleOp> update = module->clone();
  mlir::PassManager server(&compiler.context());
  server.addPass(tutti::specialize::createSpecializeServerPass({"w", /*rows=*/4}));
  if (mlir::failed(server.run(*update)))
    throw std::runtime_error(compiler.diagnostics());
  forServers =
      std::make_unique<CompiledProgram>(llvm::cantFail(compileProgram(compiler.request(*update))));
  manifest = *tutti::runtime::worker::Manifest::read(forWorkers->path());
  const tutti::runtime::worker::ServedTable &spec = manifest.tables.at(0);
  first.assign(kRows * kWidth, 0.25f);
  auto rows = tutti::runtime::servers::FirstRows::make(
      spec, 7, {reinterpret_cast<char *>(first.data()), first.size() * sizeof(float)});
  auto store = tutti::runtime::servers::RowStore::make(spec, std::move(*rows));
  auto compiled = tutti::runtime::servers::RowUpdate::load(forServers->path(), spec);
  EXPECT_TRUE(compiled) << compiled.error().message;
  table = std::make_unique<tutti::runtime::servers::Table>(spec, workers, std::move(*store),
                                                           std::move(*compiled));
}
