// Scan, where it is known how long its sequences are: the nodes of each iteration.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/GraphImporter.h"
#include "lib/frontend/graph/Subgraphs.h"
#include "lib/frontend/graph/sizes/SizeMoves.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti::frontend;

/// What a Scan says of its tensors, and its sequences.
struct GraphImporter::ScanForm {
  /// None if the node has another number of something than its body or its attributes say.
  static std::optional<ScanForm> read(const proto::NodeProto &node) {
    ScanForm form;
    form.body = findSubgraph(node, "body");
    int64_t sequences = integerAttribute(node, "num_scan_inputs").value_or(0);
    form.states = node.input_size() - sequences;
    form.stacks = node.output_size() - form.states;
    if (!form.body || sequences < 1 || form.states < 0 || form.stacks < 0 ||
        form.body->input_size() != node.input_size() ||
        form.body->output_size() != node.output_size())
      return std::nullopt;
    bool fits = readNumbers(node, "scan_input_axes", sequences, form.inputAxes) &&
                readNumbers(node, "scan_input_directions", sequences, form.inputBackwards) &&
                readNumbers(node, "scan_output_axes", form.stacks, form.outputAxes) &&
                readNumbers(node, "scan_output_directions", form.stacks, form.outputBackwards);
    return fits ? std::optional(std::move(form)) : std::nullopt;
  }

  /// Looks the sequences up, and counts their axes from 0.
  LogicalResult lookUp(const proto::NodeProto &node, TensorScope &scope, Location location);

  const proto::GraphProto *body = nullptr;
  int64_t states = 0, stacks = 0;
  SmallVector<int64_t> inputAxes, inputBackwards, outputAxes, outputBackwards;
  SmallVector<Value> sequences;
  int64_t length = 0; ///< of each sequence

private:
  /// One number for each of `count` tensors; zeros where there is no such attribute. False if it
  /// has another length.
  static bool readNumbers(const proto::NodeProto &node, StringRef name, int64_t count,
                          SmallVector<int64_t> &numbers) {
    numbers.assign(count, 0);
    for (const auto &attribute : node.attribute())
      if (attribute.name() == name)
        numbers.assign(attribute.ints().begin(), attribute.ints().end());
    return static_cast<int64_t>(numbers.size()) == count;
  }
};

LogicalResult GraphImporter::ScanForm::lookUp(const proto::NodeProto &node, TensorScope &scope,
                                              Location location) {
  for (auto [i, axis] : llvm::enumerate(inputAxes)) {
    const std::string &name = node.input(static_cast<int>(states + i));
    Value value = scope.lookup(name, location);
    if (!value)
      return failure();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    int64_t rank = type ? type.getRank() : 0;
    auto error = [&]() {
      return emitError(location) << describe(node) << ": its input '" << name << "' ";
    };
    if (axis < -rank || axis >= rank)
      return error() << "has no dimension " << axis << ": it is " << value.getType();
    axis += axis < 0 ? rank : 0;
    if (type.isDynamicDim(axis))
      return error() << "has a length that is not known before the program runs, dimension " << axis
                     << " of " << type << "; export it with a length that is fixed" << orFixSizes;
    if (i > 0 && type.getDimSize(axis) != length)
      return error() << "has " << type.getDimSize(axis) << " entries, but the first one has "
                     << length;
    length = type.getDimSize(axis);
    sequences.push_back(value);
  }
  return success();
}

Value GraphImporter::takeEntry(Value sequence, int64_t axis, int64_t index, Location location) {
  NamedAttrList slice, squeeze;
  slice.set("starts", builder.getDenseI64ArrayAttr({index}));
  slice.set("ends", builder.getDenseI64ArrayAttr({index + 1}));
  slice.set("axes", builder.getDenseI64ArrayAttr({axis}));
  squeeze.set("axes", builder.getDenseI64ArrayAttr({axis}));
  Operation *row = createInferred(builder, location, "Slice", {sequence}, slice);
  Operation *entry =
      row ? createInferred(builder, location, "Squeeze", {row->getResult(0)}, squeeze) : nullptr;
  return entry ? entry->getResult(0) : Value();
}

std::unique_ptr<GraphImporter> GraphImporter::importIteration(const proto::NodeProto &node,
                                                              const ScanForm &form,
                                                              GraphImporter *before, int64_t trip,
                                                              Location location) {
  const proto::GraphProto &body = *form.body;
  std::unique_ptr<GraphImporter> iteration(new GraphImporter(*this, /*seesOuter=*/true));
  TensorScope &scope = iteration->tensorScope;
  for (int index = 0; index < form.states; ++index)
    if (failed(scope.takeOver(body.input(index).name(), before ? before->tensorScope : tensorScope,
                              before ? body.output(index).name() : node.input(index), location)))
      return nullptr;
  for (auto [i, sequence] : llvm::enumerate(form.sequences)) {
    int64_t index = form.inputBackwards[i] ? form.length - 1 - trip : trip;
    Value entry = takeEntry(sequence, form.inputAxes[i], index, location);
    if (!entry)
      return nullptr;
    scope.define(body.input(static_cast<int>(form.states + i)).name(), entry);
  }
  return succeeded(iteration->importSubgraph(body, location)) ? std::move(iteration) : nullptr;
}

LogicalResult GraphImporter::importScan(const proto::NodeProto &node, Location location) {
  if (opset < 9)
    return emitError(location) << describe(node)
                               << ": before operator set 9 a Scan has a batch of its own, which is "
                                  "not supported; export with operator set 9 or later";
  std::optional<ScanForm> form = ScanForm::read(node);
  if (!form)
    return emitError(location) << describe(node) << ": its body or its attributes do not fit its "
                               << node.input_size() << " inputs and " << node.output_size()
                               << " outputs";
  if (failed(form->lookUp(node, tensorScope, location)))
    return failure();
  if (form->length > mostIterations)
    return emitError(location) << describe(node) << ": it runs more than " << mostIterations
                               << " iterations, too many to unroll";
  std::vector<std::vector<Value>> stacks(form->stacks);
  std::unique_ptr<GraphImporter> last; // the iteration before
  for (int64_t trip = 0; trip < form->length; ++trip) {
    std::unique_ptr<GraphImporter> next = importIteration(node, *form, last.get(), trip, location);
    if (!next)
      return failure();
    for (auto [i, values] : llvm::enumerate(stacks)) {
      const std::string &output = form->body->output(static_cast<int>(form->states + i)).name();
      values.push_back(next->tensorScope.lookup(output, location));
      if (!values.back())
        return failure();
    }
    last = std::move(next);
  }
  for (int index = 0; index < form->states; ++index)
    if (!node.output(index).empty() &&
        failed(tensorScope.takeOver(node.output(index), last ? last->tensorScope : tensorScope,
                                    last ? form->body->output(index).name() : node.input(index),
                                    location)))
      return failure();
  for (auto [i, values] : llvm::enumerate(stacks))
    if (form->outputBackwards[i])
      std::reverse(values.begin(), values.end());
  return stackScans(node, stacks, form->outputAxes, location);
}
