// An ONNX file in memory: its proto, the locations of its parts, and its operator set versions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_MODELFILE_H
#define TUTTI_LIB_FRONTEND_MODEL_MODELFILE_H

#include "lib/frontend/model/values/GivenSizes.h"

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include "onnx/onnx_pb.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tutti::frontend {

/// libonnx's protos. `onnx` alone means the dialect inside this project.
namespace proto = ::onnx;

/// Domains are spelled in two ways; this is the one that the importer compares.
/// "ai.onnx" is "", "ai.onnx.preview" (as some exporters write) is "ai.onnx.preview.training".
llvm::StringRef canonicalDomain(llvm::StringRef domain);

inline constexpr llvm::StringLiteral trainingDomain = "ai.onnx.preview.training";

/// How messages call a node: its name and operator, or its first output when it has no name.
std::string describe(const proto::NodeProto &node);

/// The versions of the default operator set that are read, and the last one whose schemas libonnx
/// has.
inline constexpr int64_t oldestOpset = 6, newestOpset = 24, newestOpsetOfLibrary = 17;

struct Survey;
class GivenValues;

/// Bytes of a mapped file and what keeps them mapped.
struct MappedBytes {
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<llvm::MemoryBuffer> owner;
  /// If there is no such file: its name, and where in it the bytes would be.
  std::string missingFile = {};
  uint64_t offset = 0;
};

class ModelFile {
public:
  ~ModelFile();

  /// Parses `content`, all of it; null after a diagnostic at the file's location.
  static std::unique_ptr<ModelFile> parse(llvm::StringRef path, llvm::StringRef content,
                                          mlir::MLIRContext *context, Survey *survey = nullptr);
  /// As above without the raw_data of large tensors, which stays where it is: `rawData` finds it.
  static std::unique_ptr<ModelFile> parse(llvm::StringRef path,
                                          std::shared_ptr<llvm::MemoryBuffer> content,
                                          mlir::MLIRContext *context, Survey *survey = nullptr);

  /// Parameters get the values of the safetensors file `path`: those whose names are inputs or
  /// initializers of the graph. Failure after a diagnostic.
  mlir::LogicalResult giveValues(llvm::StringRef path);

  /// Fixes dimensions that the graph leaves open: first those that are given by name, then what the
  /// data of inputs say of those that are left. The first dimension of an input is the batch, which
  /// stays open. Failure after a diagnostic: a name that no dimension has, or two sizes for one.
  mlir::LogicalResult fixSizes(const GivenSizes &sizes);

  /// Where the import counts what it skips; null if it ends at the first error.
  Survey *survey() const { return foundBySurvey; }

  /// As in the file, but for initializers that the exporter had merged or folded (see
  /// SharedInitializers.h), which are as they were before.
  const proto::ModelProto &model() const { return proto; }

  /// The initializers that were merged with others.
  llvm::ArrayRef<std::string> separatedInitializers() const { return separated; }

  /// Where the raw_data of `tensor` is, if it was not parsed; it has any alignment. What was parsed
  /// is in the tensor.
  std::optional<MappedBytes> rawData(const proto::TensorProto &tensor) const;
  llvm::StringRef path() const { return filePath; }
  /// The folder that external data is relative to.
  std::string folder() const;

  /// `loc("path":0:0)`.
  mlir::Location location() const { return fileLocation; }
  /// `loc("name"("path":0:0))`.
  mlir::Location location(llvm::StringRef name) const;
  /// As above with the node's name, or its first output if it has none.
  mlir::Location location(const proto::NodeProto &node) const;

  /// Version of the default operator set; between oldestOpset and newestOpset.
  int64_t opset() const { return defaultOpset; }
  bool importsDomain(llvm::StringRef domain) const;

private:
  ModelFile(llvm::StringRef path, mlir::MLIRContext *context);
  /// Parses `content`, or the shorter `message` that was made of it.
  mlir::LogicalResult read(llvm::StringRef content, llvm::StringRef message);
  mlir::LogicalResult checkVersions();
  mlir::LogicalResult takeMergingBack(size_t bytes);
  /// Takes out attributes whose names are misspelt, where they change nothing, with warnings, and
  /// those of the time before operator set 6 that said how memory is used.
  void readMisspeltAttributes(::onnx::GraphProto &graph);

  std::shared_ptr<llvm::MemoryBuffer> buffer; ///< null if all was parsed
  std::unique_ptr<GivenValues> given;         ///< null if there are none
  proto::ModelProto proto;
  std::vector<std::string> separated;
  std::string filePath;
  mlir::Location fileLocation;
  int64_t defaultOpset = 0;
  Survey *foundBySurvey = nullptr;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_MODELFILE_H
