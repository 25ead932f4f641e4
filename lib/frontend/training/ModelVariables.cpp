// Uses, metadata, and what looks like something else.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/training/ModelVariables.h"

#include "lib/frontend/model/Survey.h"
#include "lib/frontend/model/values/FoldedCopies.h"
#include "lib/frontend/training/DeclaredVariables.h"
#include "lib/frontend/training/LikelyBuffers.h"
#include "lib/frontend/training/ZeroRows.h"

#include "dialects/train/DoubtfulVariables.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;
using train::VariableClass;

/// What remarks of the importer are told apart by.
static constexpr StringLiteral passName = "import-onnx";

namespace {

class VariableFinder {
public:
  VariableFinder(ProgramImport &import, const NodeList &nodes, const GraphNames &names)
      : import(import), file(import.file), nodes(nodes), names(names),
        uses(nodes, FunctionBodies(import.file)) {}

  FailureOr<SmallVector<Variable>> find();

private:
  LogicalResult add(const proto::TensorProto &tensor);
  std::optional<VariableClass> classOf(const proto::TensorProto &tensor) const;
  bool isOfPyTorch() const { return file.model().producer_name() == "pytorch"; }
  void warnOfSetting(StringRef name) const;
  void tellSharing() const;
  void tell(ArrayRef<StringRef> group, StringRef one, StringRef several) const;
  bool mayBeFoldedBuffer(StringRef name) const;
  void findDoubtful();
  void findZeroRows();
  void hint(ArrayRef<LikelyBuffer> buffers) const;

  ProgramImport &import;
  const ModelFile &file;
  const NodeList &nodes;
  const GraphNames &names;
  TensorUses uses;
  DeclaredVariables declared;
  SmallVector<Variable> variables;
};

} // namespace

/// What somebody wrote down, as far as uses allow it; else what uses say.
std::optional<VariableClass> VariableFinder::classOf(const proto::TensorProto &tensor) const {
  std::optional<VariableClass> kind = uses.classOfParameter(tensor);
  StringRef name = tensor.name();
  if (!kind)
    return kind;
  if (declared.isBuffer(name))
    return VariableClass::Other;
  if (declared.isParameter(name) && uses.isCalculatedWith(name))
    return VariableClass::Trainable;
  if (isOfPyTorch() && kind == VariableClass::Other && isOfExporter(name))
    return std::nullopt; // a number that the newer exporter stores as it stores parameters
  // A number that is neither parameter nor buffer is a Constant node in a model of PyTorch.
  if (isOfPyTorch() && declared.isEmpty() && uses.isCalculatedWith(name) && !isFolded(name))
    return VariableClass::Trainable;
  // What was folded of nothing that is trained is not trained either.
  bool isBuffer = isFoldedPart(name) && declared.lacksBuffer() && !declared.lacksParameter();
  return isBuffer ? VariableClass::Other : kind;
}

/// A parameter that only says how an operator works would be trained by its framework.
void VariableFinder::warnOfSetting(StringRef name) const {
  auto uses = [&](const proto::NodeProto *node) {
    return llvm::is_contained(dependenciesOf(*node), name);
  };
  auto user = llvm::find_if(nodes, uses);
  if (user != nodes.end())
    emitWarning(file.location(**user)) << "'" << name << "' is a parameter, as " << parametersKey
                                       << " says, but stays as it is: " << describe(**user)
                                       << " takes it as a setting, which has no gradient";
}

LogicalResult VariableFinder::add(const proto::TensorProto &tensor) {
  std::optional<VariableClass> kind = classOf(tensor);
  if (!kind && declared.isParameter(tensor.name()))
    warnOfSetting(tensor.name());
  if (!kind)
    return success();
  RankedTensorType type = TensorReader::readType(tensor, file.location(tensor.name()));
  if (!type)
    return failure();
  variables.push_back({&tensor, *kind, type});
  return success();
}

void VariableFinder::tell(ArrayRef<StringRef> group, StringRef one, StringRef several) const {
  if (group.empty())
    return;
  auto options = remark::RemarkOpts::name(passName).category(passName).function("forward");
  remark::analysis(file.location(), options)
      << std::to_string(group.size()) << " " << (group.size() == 1 ? one : several)
      << remark::metric("names", llvm::join(group, ", "));
}

/// Which variables are several, though the file has one initializer for them; and which are one,
/// though several nodes use them.
void VariableFinder::tellSharing() const {
  llvm::StringMap<unsigned> users;
  for (const proto::NodeProto *node : nodes) {
    llvm::StringSet<> used; // a node that takes a tensor twice is one user
    for (StringRef name : dependenciesOf(*node))
      if (used.insert(name).second)
        ++users[name];
  }
  llvm::StringSet<> separated;
  for (StringRef name : file.separatedInitializers())
    separated.insert(name);
  SmallVector<StringRef> own, tied;
  for (const Variable &variable : variables) {
    if (separated.contains(variable.name()))
      own.push_back(variable.name());
    if (variable.kind == VariableClass::Trainable && users.lookup(variable.name()) > 1)
      tied.push_back(variable.name());
  }
  tell(own, "variable is one of its own, which the export had merged with an equal one",
       "variables are ones of their own, which the export had merged with equal ones");
  tell(tied, "variable is used in several places, and stays one",
       "variables are used in several places, and stay one each");
}

/// Whether the metadata has a parameter and a buffer of which `name` may be a part.
bool VariableFinder::mayBeFoldedBuffer(StringRef name) const {
  return isFoldedPart(name) && declared.lacksBuffer() && declared.lacksParameter();
}

void VariableFinder::hint(ArrayRef<LikelyBuffer> buffers) const {
  if (!file.survey() || buffers.empty())
    return;
  std::string listed = llvm::join(
      llvm::map_range(buffers,
                      [](const LikelyBuffer &b) { return (b.name + " (" + b.why + ")").str(); }),
      ", ");
  std::string globs =
      llvm::join(llvm::map_range(buffers, [](const LikelyBuffer &b) { return b.name.str(); }), ",");
  file.survey()->hints.push_back(
      {(buffers.size() == 1
            ? "a variable looks like a buffer, and is trained because nothing says that "
              "it is no parameter: "
            : "variables look like buffers, and are trained because nothing says that "
              "they are no parameters: ") +
           listed,
       "--train=\"freeze=" + globs + "\" keeps them as they are; a model that says " +
           buffersKey.str() + " needs no key (docs/from-pytorch.md)"});
}

/// Others than PyTorch have no word for buffers; their models say what they train by other means.
void VariableFinder::findDoubtful() {
  std::vector<LikelyBuffer> likely;
  if (declared.isEmpty()) {
    likely = findLikelyBuffers(variables, nodes, file);
  } else {
    for (const Variable &variable : variables)
      if (variable.kind == VariableClass::Trainable && mayBeFoldedBuffer(variable.name()))
        likely.push_back(
            {variable.name(),
             "folded of a parameter or of a buffer, which do_constant_folding=False tells", true});
  }
  hint(likely);
  NamedAttrList doubtful;
  for (const LikelyBuffer &buffer : likely)
    if (isOfPyTorch() && buffer.isStriking)
      doubtful.append(buffer.name, import.builder.getStringAttr(buffer.why));
  if (!doubtful.empty())
    import.module->setAttr(train::kDoubtful, doubtful.getDictionary(import.builder.getContext()));
}

/// A file does not say which row of a table padding looks up, and PyTorch trains all others.
void VariableFinder::findZeroRows() {
  if (!isOfPyTorch())
    return;
  NamedAttrList rows;
  for (auto [name, row] : tutti::frontend::findZeroRows(variables, nodes, file))
    rows.append(name, import.builder.getI64IntegerAttr(row));
  if (!rows.empty())
    import.module->setAttr(train::kZeroRows, rows.getDictionary(import.builder.getContext()));
}

FailureOr<SmallVector<Variable>> VariableFinder::find() {
  FailureOr<DeclaredVariables> read = DeclaredVariables::read(file);
  if (failed(read))
    return failure();
  declared = std::move(*read);
  for (const proto::TensorProto *tensor : names.initializers())
    if (failed(add(*tensor)))
      return failure();
  tellSharing();
  if (!import.roles) { // which say what variables are
    findDoubtful();
    findZeroRows();
  }
  return std::move(variables);
}

FailureOr<SmallVector<Variable>> tutti::frontend::findModelVariables(ProgramImport &import,
                                                                     const NodeList &nodes,
                                                                     const GraphNames &names) {
  return VariableFinder(import, nodes, names).find();
}
