// Takes back that an exporter has merged equal initializers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/values/SharedInitializers.h"

#include "lib/frontend/model/ModelFile.h"
#include "lib/frontend/model/OperationNodes.h"
#include "lib/frontend/model/values/CopyOwners.h"
#include "lib/frontend/model/values/FoldedCopies.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tutti::frontend;

/// Models without this version list every initializer as an input, too.
static constexpr int64_t versionWithoutListing = 4;

static bool isOf(const proto::NodeProto &node, StringRef op) {
  return node.op_type() == op && canonicalDomain(node.domain()).empty();
}

namespace {

class Separator {
public:
  Separator(proto::ModelProto &model, size_t fileBytes, ReadStoredBytes read,
            std::vector<std::string> &separated)
      : model(model), graph(*model.mutable_graph()),
        mostCopied((uint64_t(1) << 26) + uint64_t(fileBytes) * 256), read(read),
        allSeparated(separated) {}

  std::string run() {
    survey();
    joinEqualCopies();
    for (proto::NodeProto &node : *graph.mutable_node())
      if (isMerged(node))
        if (std::string problem = separate(node); !problem.empty())
          return problem;
    removeIdentities();
    return "";
  }

private:
  void survey();
  void countUses(const proto::NodeProto &node);
  bool isMerged(const proto::NodeProto &node) const;
  std::string separate(proto::NodeProto &node);
  std::string relate(proto::NodeProto &node, StringRef source, bool &isShared);
  std::optional<CopyOwner> ownerOf(StringRef tensor) const;
  StringRef biasOf(const proto::NodeProto &product) const;
  StringRef valuesOf(StringRef name) const;
  std::string makeOwn(StringRef name, const proto::TensorProto &source);
  void removeIdentities();
  void joinEqualCopies();
  void replaceByIdentities(ArrayRef<std::pair<std::string, std::string>> sources);

  proto::ModelProto &model;
  proto::GraphProto &graph;
  uint64_t mostCopied, copied = 0;
  ReadStoredBytes read;
  std::vector<std::string> &allSeparated;
  llvm::StringMap<const proto::TensorProto *> initializers;
  llvm::StringSet<> inputs, outputs, separated, joinedCopies;
  llvm::StringMap<unsigned> uses; ///< of tensors, in nested graphs, too
  llvm::StringMap<std::vector<const proto::NodeProto *>> users;
  llvm::StringMap<StringRef> identities; ///< from the result of an Identity to its operand
  llvm::StringMap<EqualCopies> copies;   ///< by the initializer that the file has for them
};

} // namespace

void Separator::countUses(const proto::NodeProto &node) {
  for (const std::string &input : node.input())
    ++uses[input];
  for (const auto &attribute : node.attribute()) {
    for (const proto::NodeProto &inner : attribute.g().node())
      countUses(inner);
    for (const proto::ValueInfoProto &output : attribute.g().output())
      ++uses[output.name()];
  }
}

void Separator::survey() {
  initializers.clear(), inputs.clear(), outputs.clear(), uses.clear(), users.clear();
  for (const proto::TensorProto &tensor : graph.initializer())
    initializers[tensor.name()] = &tensor;
  for (const proto::ValueInfoProto &input : graph.input())
    inputs.insert(input.name());
  for (const proto::ValueInfoProto &output : graph.output()) {
    outputs.insert(output.name());
    ++uses[output.name()];
  }
  for (const proto::NodeProto &node : graph.node()) {
    countUses(node);
    if (isOf(node, "Identity") && node.input_size() == 1 && node.output_size() == 1)
      identities[node.output(0)] = node.input(0);
    for (const std::string &input : node.input())
      users[input].push_back(&node);
  }
}

/// If nothing else uses the operand of an Identity, nothing was merged, and the result keeps the
/// name of its initializer.
bool Separator::isMerged(const proto::NodeProto &node) const {
  if (!isOf(node, "Identity") || node.input_size() != 1 || node.output_size() != 1)
    return false;
  const std::string &name = node.output(0);
  const proto::TensorProto *source = initializers.lookup(node.input(0));
  return source && holdsFloats(*source) && uses.lookup(node.input(0)) > 1 && !name.empty() &&
         !joinedCopies.contains(name) && !outputs.contains(name) && !inputs.contains(name) &&
         !initializers.count(name);
}

/// The initializer that is added to the product; empty if there is none.
StringRef Separator::biasOf(const proto::NodeProto &product) const {
  if (!isOf(product, "MatMul") || product.output_size() != 1)
    return "";
  auto next = users.find(product.output(0));
  if (next == users.end() || next->second.size() != 1)
    return "";
  const proto::NodeProto &add = *next->second.front();
  if (!isOf(add, "Add") || add.input_size() != 2)
    return "";
  const std::string &other = add.input(add.input(0) == product.output(0) ? 1 : 0);
  bool isInitializer = initializers.count(other) || initializers.count(identities.lookup(other));
  return isInitializer ? StringRef(other) : "";
}

/// The initializer that an Identity, or one of an Identity, is of.
StringRef Separator::valuesOf(StringRef name) const {
  constexpr int longestChain = 8;
  for (int link = 0; link < longestChain && identities.count(name); ++link)
    name = identities.lookup(name);
  return name;
}

std::optional<CopyOwner> Separator::ownerOf(StringRef tensor) const {
  auto found = users.find(tensor);
  if (found == users.end())
    return std::nullopt;
  std::optional<CopyOwner> owner;
  for (const proto::NodeProto *user : found->second) {
    if (isOf(*user, "Identity"))
      continue;
    if (StringRef bias = biasOf(*user); !bias.empty())
      return CopyOwner::ofBias(bias, valuesOf(bias));
    if (!owner)
      owner = CopyOwner::ofNode(user->name());
  }
  return owner;
}

/// Of a layer that is called twice each call has a folded copy of its weight.
void Separator::joinEqualCopies() {
  llvm::StringMap<std::vector<const proto::TensorProto *>> alike;
  std::vector<std::pair<std::string, std::string>> sources;
  for (const proto::TensorProto &tensor : graph.initializer()) {
    std::optional<CopyOwner> owner =
        isFolded(tensor.name()) && holdsFloats(tensor) ? ownerOf(tensor.name()) : std::nullopt;
    std::optional<StringRef> bytes = owner ? read(tensor) : std::nullopt;
    if (!bytes || (!owner->isBias && isPlain(tensor, read)))
      continue;
    std::string key = owner->name + (owner->isBias ? "+" : "/");
    for (int64_t size : tensor.dims())
      key += "x" + std::to_string(size);
    std::vector<const proto::TensorProto *> &others = alike[key];
    auto equal = llvm::find_if(others, [&](const proto::TensorProto *other) {
      return other->data_type() == tensor.data_type() && read(*other) == bytes;
    });
    if (equal == others.end())
      others.push_back(&tensor);
    else
      sources.emplace_back(tensor.name(), (*equal)->name());
  }
  if (!sources.empty())
    replaceByIdentities(sources);
}

void Separator::replaceByIdentities(ArrayRef<std::pair<std::string, std::string>> sources) {
  for (const auto &[copy, source] : sources) {
    proto::NodeProto &node = *graph.add_node();
    node.set_op_type("Identity");
    node.set_name(copy + "/Identity");
    node.add_input(source);
    node.add_output(copy);
    joinedCopies.insert(copy);
  }
  moveToFront(graph, sources.size());
  removeNamed(*graph.mutable_initializer(), joinedCopies);
  removeNamed(*graph.mutable_input(), joinedCopies);
  survey(); // tensors and nodes have moved
}

/// Has a folded copy be the one that it is, if there is one, which `isShared` says.
std::string Separator::relate(proto::NodeProto &node, StringRef source, bool &isShared) {
  auto [entry, isNew] = copies.try_emplace(source);
  EqualCopies &known = entry->second;
  bool isPlaced = true;
  if (isNew) {
    known.arePlain = isPlain(*initializers.lookup(source), read);
    isPlaced = known.place(ownerOf(source), source).has_value();
  }
  std::optional<std::string> weight = known.place(ownerOf(node.output(0)), node.output(0));
  isShared = weight && *weight != node.output(0);
  if (isShared)
    node.set_input(0, *weight);
  if (weight && isPlaced)
    return "";
  return "'" + source.str() + "' and '" + node.output(0) +
         "' begin alike, and nothing says whether they are one weight or two; export the model "
         "with do_constant_folding=False, which keeps their names";
}

std::string Separator::separate(proto::NodeProto &node) {
  const std::string &name = node.output(0);
  if (uses.lookup(name) == 0)
    return "";
  const proto::TensorProto &source = *initializers.lookup(node.input(0));
  bool isShared = false;
  if (isFolded(source.name()) && isFolded(name))
    if (std::string problem = relate(node, source.name(), isShared); !problem.empty())
      return problem;
  return isShared ? "" : makeOwn(name, source);
}

std::string Separator::makeOwn(StringRef name, const proto::TensorProto &source) {
  copied += source.ByteSizeLong();
  if (copied > mostCopied)
    return "the Identities of its initializers would make them more than 256 times as large as "
           "the file; make them initializers";
  proto::TensorProto &own = *graph.add_initializer();
  own = source;
  own.set_name(name.str());
  initializers[name] = &own;
  separated.insert(name);
  allSeparated.push_back(name.str());
  if (model.ir_version() >= versionWithoutListing)
    return "";
  proto::ValueInfoProto &listed = *graph.add_input();
  listed.set_name(name.str());
  auto &type = *listed.mutable_type()->mutable_tensor_type();
  type.set_elem_type(own.data_type());
  type.mutable_shape();
  for (int64_t size : own.dims())
    type.mutable_shape()->add_dim()->set_dim_value(size);
  return "";
}

void Separator::removeIdentities() {
  auto isSeparated = [&](const proto::NodeProto &node) {
    return isOf(node, "Identity") && node.output_size() == 1 && separated.contains(node.output(0));
  };
  auto &nodes = *graph.mutable_node();
  nodes.erase(std::remove_if(nodes.begin(), nodes.end(), isSeparated), nodes.end());
}

/// What says itself what it trains, or how it came to be.
static bool saysVariables(const proto::ModelProto &model) {
  return model.training_info_size() > 0 ||
         llvm::any_of(model.graph().node(),
                      [](const proto::NodeProto &node) {
                        return node.op_type() == "InPlaceAccumulatorV2" ||
                               node.op_type() == "YieldOp";
                      }) ||
         llvm::any_of(model.metadata_props(),
                      [](const auto &entry) { return entry.key() == programFrame; });
}

std::string tutti::frontend::separateInitializers(proto::ModelProto &model, size_t fileBytes,
                                                  ReadStoredBytes read,
                                                  std::vector<std::string> &separated) {
  if (saysVariables(model))
    return "";
  joinFoldedCopies(*model.mutable_graph(), read);
  return Separator(model, fileBytes, read, separated).run();
}
