// The initializers and inputs of graphs that share one namespace.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_GRAPHNAMES_H
#define TUTTI_LIB_FRONTEND_GRAPH_GRAPHNAMES_H

#include "lib/frontend/model/ModelFile.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tutti::frontend {

/// Collects what exists before any node runs: a model's graph first, then its algorithms'.
class GraphNames {
public:
  explicit GraphNames(const ModelFile &file) : file(file) {}

  /// Adds the initializers of `graph`, and its inputs that are not initializers (before IR version
  /// 4 every initializer is listed as an input too). Fails with a diagnostic for a sparse
  /// initializer, or a name that is missing or taken.
  mlir::LogicalResult add(const proto::GraphProto &graph);

  llvm::ArrayRef<const proto::TensorProto *> initializers() const { return tensors; }
  llvm::ArrayRef<const proto::ValueInfoProto *> inputs() const { return values; }
  /// Null if there is no such initializer.
  const proto::TensorProto *initializer(llvm::StringRef name) const { return byName.lookup(name); }
  const llvm::StringSet<> &all() const { return names; }

private:
  mlir::LogicalResult claim(llvm::StringRef name, llvm::StringRef what);

  const ModelFile &file;
  llvm::SmallVector<const proto::TensorProto *> tensors;
  llvm::SmallVector<const proto::ValueInfoProto *> values;
  llvm::StringMap<const proto::TensorProto *> byName;
  llvm::StringSet<> names;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_GRAPHNAMES_H
