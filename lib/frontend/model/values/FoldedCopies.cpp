// Finds what a folded copy is a copy of, by its values: those of weights are random.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/values/FoldedCopies.h"

#include "lib/frontend/model/ModelFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tutti::frontend;

bool tutti::frontend::isFolded(StringRef name) { return name.starts_with("onnx::"); }

bool tutti::frontend::isOfExporter(StringRef name) {
  return name.consume_front("val_") && !name.empty() && llvm::all_of(name, llvm::isDigit);
}

unsigned tutti::frontend::bytesOfFloat(int32_t type) {
  switch (type) {
  case proto::TensorProto::FLOAT:
    return 4;
  case proto::TensorProto::DOUBLE:
    return 8;
  case proto::TensorProto::FLOAT16:
  case proto::TensorProto::BFLOAT16:
    return 2;
  default:
    return 0;
  }
}

bool tutti::frontend::holdsFloats(const proto::TensorProto &tensor) {
  return bytesOfFloat(tensor.data_type()) > 0;
}

bool tutti::frontend::isPlain(const proto::TensorProto &tensor, ReadStoredBytes read) {
  std::optional<StringRef> bytes = read(tensor);
  unsigned width = bytesOfFloat(tensor.data_type());
  if (!bytes || width == 0)
    return true;
  SmallVector<StringRef, 2> seen;
  for (size_t at = 0; at + width <= bytes->size(); at += width)
    if (StringRef element = bytes->substr(at, width); !llvm::is_contained(seen, element)) {
      if (seen.size() == 2)
        return false;
      seen.push_back(element);
    }
  return true;
}

namespace {

/// A matrix of floats, or its transpose.
struct Matrix {
  StringRef bytes;
  size_t rows, columns, width;
  bool isTransposed;

  StringRef at(size_t row, size_t column) const {
    size_t place = isTransposed ? column * rows + row : row * columns + column;
    return bytes.substr(place * width, width);
  }
  /// Equal matrices have equal ones, and others seldom.
  std::string fingerprint() const {
    std::string print =
        std::to_string(width) + " " + std::to_string(rows) + "x" + std::to_string(columns) + " ";
    for (size_t sample = 0; sample < 16; ++sample)
      print += at(sample * 7919 % rows, sample * 104729 % columns);
    return print;
  }
  bool equals(const Matrix &other) const {
    for (size_t row = 0; row < rows; ++row)
      for (size_t column = 0; column < columns; ++column)
        if (at(row, column) != other.at(row, column))
          return false;
    return true;
  }
};

} // namespace

static std::optional<Matrix> readMatrix(const proto::TensorProto &tensor, bool isTransposed,
                                        ReadStoredBytes read) {
  size_t width = bytesOfFloat(tensor.data_type());
  if (width == 0 || tensor.dims_size() != 2 || tensor.dims(0) <= 0 || tensor.dims(1) <= 0)
    return std::nullopt;
  std::optional<StringRef> bytes = read(tensor);
  size_t rows = tensor.dims(isTransposed ? 1 : 0), columns = tensor.dims(isTransposed ? 0 : 1);
  if (!bytes || bytes->size() / width / rows != columns || bytes->size() != rows * columns * width)
    return std::nullopt;
  return Matrix{*bytes, rows, columns, width, isTransposed};
}

void tutti::frontend::moveToFront(proto::GraphProto &graph, size_t added) {
  auto &nodes = *graph.mutable_node();
  std::rotate(nodes.begin(), nodes.end() - added, nodes.end());
}

static void addTranspose(proto::GraphProto &graph, StringRef of, StringRef name) {
  proto::NodeProto &node = *graph.add_node();
  node.set_op_type("Transpose");
  node.set_name((name + "/Transpose").str());
  node.add_input(of.str());
  node.add_output(name.str());
  proto::AttributeProto &order = *node.add_attribute();
  order.set_name("perm");
  order.set_type(proto::AttributeProto::INTS);
  order.add_ints(1);
  order.add_ints(0);
}

void tutti::frontend::joinFoldedCopies(proto::GraphProto &graph, ReadStoredBytes read) {
  auto isCopy = [](const proto::TensorProto &tensor) { return isFolded(tensor.name()); };
  if (llvm::none_of(graph.initializer(), isCopy))
    return;
  llvm::StringMap<std::vector<std::pair<StringRef, Matrix>>> named;
  for (const proto::TensorProto &tensor : graph.initializer())
    if (std::optional<Matrix> matrix = readMatrix(tensor, /*isTransposed=*/false, read))
      if (!isCopy(tensor) && !isPlain(tensor, read))
        named[matrix->fingerprint()].emplace_back(tensor.name(), *matrix);
  llvm::StringSet<> gone;
  for (const proto::TensorProto &tensor : graph.initializer()) {
    std::optional<Matrix> copy =
        isCopy(tensor) ? readMatrix(tensor, /*isTransposed=*/true, read) : std::nullopt;
    auto found = copy ? named.find(copy->fingerprint()) : named.end();
    if (found == named.end())
      continue;
    auto &[source, matrix] = found->second.front();
    if (!copy->equals(matrix) || !gone.insert(tensor.name()).second)
      continue;
    addTranspose(graph, source, tensor.name());
  }
  moveToFront(graph, gone.size());
  removeNamed(*graph.mutable_initializer(), gone);
  removeNamed(*graph.mutable_input(), gone);
}
