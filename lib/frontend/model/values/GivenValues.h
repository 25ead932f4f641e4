// Values of parameters that are in a safetensors file and not in the model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_VALUES_GIVENVALUES_H
#define TUTTI_LIB_FRONTEND_MODEL_VALUES_GIVENVALUES_H

#include "lib/frontend/model/ModelFile.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <set>

namespace tutti::frontend {

/// A file in the format of safetensors. A model whose graph takes its parameters as inputs gets
/// them from it, and one that has values of its own gets others.
class GivenValues {
public:
  /// Maps the file `path` into memory, for as long as anything points into it; null after a
  /// diagnostic at `location`.
  static std::unique_ptr<GivenValues> open(llvm::StringRef path, mlir::Location location);

  /// Each tensor of the file that is named like an input or an initializer of the graph of `model`
  /// becomes its initializer, which `find` has the bytes of. Fails after a diagnostic at `location`
  /// where types or shapes differ, where the model initializes a tensor by a graph of its own, and
  /// if there is no tensor of such a name; warns of those that are in the file only.
  mlir::LogicalResult addTo(proto::ModelProto &model, mlir::Location location);

  /// The bytes of an initializer that was made by `addTo`.
  std::optional<MappedBytes> find(const proto::TensorProto &tensor) const;

private:
  struct Given {
    int32_t elementType; ///< a TensorProto.DataType, or UNDEFINED
    std::string typeName;
    std::vector<int64_t> shape;
    llvm::ArrayRef<char> bytes;
  };
  using Entry = std::pair<const std::string, Given>;

  mlir::LogicalResult checkBindings(const proto::ModelProto &model, mlir::Location location) const;
  /// Complains unless the file's tensor is of this type; sizes below 0 are any.
  mlir::LogicalResult checkType(const Entry &entry, int32_t elementType,
                                llvm::ArrayRef<int64_t> sizes, mlir::Location location) const;
  void fill(const Entry &entry, proto::TensorProto &tensor);
  mlir::LogicalResult reportUnused(const std::set<llvm::StringRef> &used,
                                   mlir::Location location) const;

  std::string path;
  std::shared_ptr<llvm::MemoryBuffer> buffer;
  std::map<std::string, Given> tensors;
  llvm::DenseMap<const proto::TensorProto *, const Given *> made;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_VALUES_GIVENVALUES_H
