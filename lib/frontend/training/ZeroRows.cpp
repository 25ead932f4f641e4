// Looks for Gathers, and into the tables of these.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/training/ZeroRows.h"

#include "lib/frontend/model/StoredBytes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti::frontend;

/// Tables of more bytes are not read as a whole, and of these so many rows are.
static constexpr size_t mostBytes = size_t(12) << 20;
static constexpr int64_t fewRows = 4;

/// The initializers of whose first dimension entries are looked up.
static llvm::StringSet<> findTables(const NodeList &nodes) {
  llvm::StringSet<> tables;
  for (const proto::NodeProto *node : nodes) {
    if (!canonicalDomain(node->domain()).empty() || node->op_type() != "Gather" ||
        node->input_size() != 2)
      continue;
    bool isOfRows = llvm::none_of(node->attribute(), [](const proto::AttributeProto &attribute) {
      return attribute.name() == "axis" && attribute.i() != 0;
    });
    if (isOfRows)
      tables.insert(node->input(0));
  }
  return tables;
}

/// The only row of zeros in `bytes`, if there is one and not all are.
static std::optional<int64_t> findZeroRow(StringRef bytes, int64_t rows) {
  size_t width = bytes.size() / rows;
  bool isLarge = bytes.size() > mostBytes;
  std::optional<int64_t> found;
  int64_t others = 0;
  for (int64_t row = 0; row < rows; ++row) {
    if (isLarge && row == fewRows)
      row = std::max(row, rows - 1);
    if (bytes.substr(row * width, width).find_first_not_of('\0') != StringRef::npos) {
      ++others;
      continue;
    }
    if (found)
      return std::nullopt;
    found = row;
  }
  return others > 0 ? found : std::nullopt;
}

std::vector<ZeroRow> tutti::frontend::findZeroRows(ArrayRef<Variable> variables,
                                                   const NodeList &nodes, const ModelFile &file) {
  llvm::StringSet<> tables = findTables(nodes);
  StoredBytes stored(file);
  std::vector<ZeroRow> found;
  for (const Variable &variable : variables) {
    if (!tables.contains(variable.name()) || variable.type.getRank() != 2 || !variable.initial ||
        variable.kind != train::VariableClass::Trainable || variable.type.getDimSize(0) < 2)
      continue;
    std::optional<StringRef> bytes = stored.find(*variable.initial);
    if (std::optional<int64_t> row =
            bytes ? findZeroRow(*bytes, variable.type.getDimSize(0)) : std::nullopt)
      found.push_back({variable.name(), *row});
  }
  return found;
}
