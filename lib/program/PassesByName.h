// Passes that a program may name, so that they run on it later: which there are, and how they are
// made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_PASSESBYNAME_H
#define TUTTI_LIB_PROGRAM_PASSESBYNAME_H

#include "dialects/train/Train.h"

#include "mlir/IR/DialectInterface.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <map>

namespace tutti::program {

/// The passes that the text of a program may ask for, by name. A program may come from an unknown
/// source, so only passes that rewrite programs and write no file belong here. Each stage adds its
/// own when its dialects are registered; MLIR's registry of passes, which is one for the whole
/// process, is not asked. Filled while the train dialect is loaded, only read afterwards.
class PassesByName : public mlir::DialectInterface::Base<PassesByName> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PassesByName)

  using Create = std::unique_ptr<mlir::Pass> (*)();

  explicit PassesByName(mlir::Dialect *dialect) : Base(dialect) {}

  /// That of `dialect`, which gets one if it has none.
  static PassesByName &of(train::TrainDialect &dialect);

  /// What becomes of a pass that waited for the number of ranks when that is one: it is dropped, or
  /// it runs, or it runs and says why one rank cannot have what it does.
  enum class OnOneRank { Dropped, Runs, Refuses };

  /// Adds passes, under the names that they have on command lines.
  void add(llvm::ArrayRef<Create> passes, OnOneRank onOneRank = OnOneRank::Dropped);

  /// Adds the pass that `text`, "name" or "name{option=value ...}", asks for to `passes`. Fails,
  /// and says why through `complain`, if there is no such pass here, or if it has no such options.
  llvm::LogicalResult
  addPass(llvm::StringRef text, mlir::OpPassManager &passes,
          llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)> complain) const;

  /// What becomes of the pass of `text`, which addPass takes, on one rank.
  OnOneRank getOnOneRank(llvm::StringRef text) const;

private:
  struct Known {
    Create create;
    OnOneRank onOneRank;
  };

  std::map<std::string, Known> passesByName;
};

/// What becomes of the pass of `text`, which the stages of `context` know, on one rank.
PassesByName::OnOneRank getOnOneRank(mlir::MLIRContext *context, llvm::StringRef text);

/// Adds the pass of `text` to `passes`, if the stages that were registered in `context` know it.
llvm::LogicalResult
addPassByName(mlir::MLIRContext *context, llvm::StringRef text, mlir::OpPassManager &passes,
              llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)> complain);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_PASSESBYNAME_H
