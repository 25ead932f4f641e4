// A model file without the values of its variables, which others put in after a training.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_EXPORT_MODELFRAME_H
#define TUTTI_LIB_FRONTEND_EXPORT_MODELFRAME_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringSet.h"

#include <memory>
#include <string>
#include <vector>

namespace tutti::frontend {

/// Where the value of a variable goes, dense and row-major.
struct VariableSlot {
  std::string variable;
  mlir::RankedTensorType type;
  uint64_t offset, bytes;
};

/// A file to write: its pieces at their offsets, zeros between them, and free places.
struct FramedFile {
  struct Piece {
    uint64_t offset;
    llvm::StringRef bytes;
  };
  std::string target;
  uint64_t size = 0;
  std::vector<Piece> pieces;       ///< valid as long as the frame lives
  std::vector<VariableSlot> slots; ///< by offset
};

/// The model of a file, to be written again with other values in initializers; all else stays.
class ModelFrame {
public:
  ~ModelFrame();

  /// Parses `content`, the file at `path`; null after a diagnostic. No exception leaves it.
  static std::unique_ptr<ModelFrame> parse(llvm::StringRef path, llvm::StringRef content,
                                           mlir::MLIRContext *context);

  /// Whether a file of data is written beside the model: the model has one, too, or would not fit
  /// into one file any more.
  bool hasDataFile() const;
  /// The files of data that the model reads, with its folder.
  std::vector<std::string> dataFiles() const;

  /// The type of the initializer `name`; null if the model has none of this name, or of a type that
  /// is not supported.
  mlir::RankedTensorType typeOf(llvm::StringRef name) const;

  /// The files that are the model, itself the last, with slots for `variables`, which are
  /// initializers. The data file is called as `target` with ".data" after it. Called once, for it
  /// changes the model. Failure after a diagnostic.
  mlir::FailureOr<std::vector<FramedFile>> frame(const llvm::StringSet<> &variables,
                                                 llvm::StringRef target);

private:
  class Contents; ///< knows libonnx, which users of this header need not
  explicit ModelFrame(std::unique_ptr<Contents> contents);
  std::unique_ptr<Contents> contents;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_EXPORT_MODELFRAME_H
