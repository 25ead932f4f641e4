// The parameters of each kernel in the order of include/tutti/abi.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/Kernel.h"

#include "tutti/types.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tutti::kernel;

using Parameters = SmallVector<int64_t>;

static ShapedType typeOf(Value value) { return cast<ShapedType>(value.getType()); }
static ArrayRef<int64_t> shapeOf(Value value) { return typeOf(value).getShape(); }

static int64_t productOf(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

void tutti::kernel::appendName(StringRef name, SmallVectorImpl<int64_t> &words) {
  words.push_back(name.size());
  for (size_t begin = 0; begin < name.size(); begin += 8) {
    uint64_t word = 0;
    for (auto [i, letter] : llvm::enumerate(name.substr(begin, 8)))
      word |= uint64_t(uint8_t(letter)) << (8 * i);
    words.push_back(word);
  }
}

/// Bytes of one element in memory.
static int64_t bytesOf(Value value) {
  return llvm::divideCeil(typeOf(value).getElementTypeBitWidth(), 8);
}

/// The runtime's number of the element type, which is f32, f64 or bf16.
static int64_t numberOfFloat(Value value) {
  Type type = typeOf(value).getElementType();
  return type.isF64() ? TUTTI_F64 : type.isBF16() ? TUTTI_BF16 : TUTTI_F32;
}

/// The runtime's number of the element type, which is f32, f64, i32 or i64.
static int64_t numberOfNumber(Value value) {
  Type type = typeOf(value).getElementType();
  if (type.isInteger(32))
    return TUTTI_I32;
  return type.isInteger(64) ? int64_t(TUTTI_I64) : numberOfFloat(value);
}

bool MatmulOp::readsOutputs() { return getAccumulate(); }

Parameters MatmulOp::getParameters() {
  return {int64_t(getBatch()),
          int64_t(getM()),
          int64_t(getN()),
          int64_t(getK()),
          getTransposeA(),
          getTransposeB(),
          int64_t(getStrideA()),
          int64_t(getStrideB()),
          llvm::bit_cast<uint32_t>(getAlpha().convertToFloat()),
          getAccumulate(),
          numberOfFloat(getOutputs()[0])};
}

/// Appends what ends the parameters of all kernels with windows: in, window, out, type.
template <typename Op>
static Parameters withWindow(Parameters parameters, Op op, Value x, Value y) {
  llvm::append_range(parameters, shapeOf(x).drop_front(2));
  for (ArrayRef<int64_t> part :
       {op.getKernel(), op.getStrides(), op.getPadsBegin(), op.getPadsEnd(), op.getDilations()})
    llvm::append_range(parameters, part);
  llvm::append_range(parameters, shapeOf(y).drop_front(2));
  parameters.push_back(numberOfFloat(x));
  return parameters;
}

/// x and y are the data and the result of the convolution, or tensors of their shapes.
template <typename Op> static Parameters ofConvolution(Op op, Value x, Value y, bool hasBias) {
  ArrayRef<int64_t> shape = shapeOf(x);
  return withWindow({int64_t(shape.size()) - 2, shape[0], shape[1], shapeOf(y)[1],
                     int64_t(op.getGroup()), hasBias},
                    op, x, y);
}

Parameters ConvolutionOp::getParameters() {
  return ofConvolution(*this, getInputs()[0], getOutputs()[0], getInputs().size() == 3);
}

Parameters ConvolutionBackwardDataOp::getParameters() {
  return ofConvolution(*this, getOutputs()[0], getInputs()[0], false);
}

Parameters ConvolutionBackwardWeightsOp::getParameters() {
  return ofConvolution(*this, getInputs()[1], getInputs()[0], false);
}

template <typename Op> static Parameters ofPool(Op op, Value x, Value y) {
  ArrayRef<int64_t> shape = shapeOf(x);
  return withWindow(
      {int64_t(shape.size()) - 2, shape[0], shape[1], static_cast<int64_t>(op.getKind())}, op, x,
      y);
}

Parameters PoolOp::getParameters() { return ofPool(*this, getInputs()[0], getOutputs()[0]); }

Parameters PoolBackwardOp::getParameters() { return ofPool(*this, getInputs()[1], getInputs()[0]); }

Parameters DropoutOp::getParameters() {
  return {typeOf(getInputs()[0]).getNumElements(), int64_t(getNode()), int64_t(getBlocks()),
          int64_t(getParts())};
}

Parameters RandomOp::getParameters() {
  auto bits = [](APFloat value) { return llvm::bit_cast<int64_t>(value.convertToDouble()); };
  Value output = getOutputs()[0];
  return {typeOf(output).getNumElements(),
          numberOfFloat(output),
          static_cast<int64_t>(getDistribution()),
          bits(getA()),
          bits(getB()),
          getSeed().has_value(),
          int64_t(getSeed().value_or(0)),
          int64_t(getNode()),
          int64_t(getBlocks()),
          int64_t(getParts())};
}

Parameters GatherRowsOp::getParameters() {
  Value table = getInputs()[0], indices = getInputs()[1];
  ArrayRef<int64_t> shape = shapeOf(table);
  uint64_t axis = getAxis();
  return {productOf(shape.take_front(axis)),
          shape[axis],
          productOf(shape.drop_front(axis + 1)) * bytesOf(table),
          typeOf(indices).getNumElements(),
          bytesOf(indices),
          getUnused()};
}

bool ScatterUpdateRowsOp::readsOutputs() { return true; }

Parameters ScatterUpdateRowsOp::getParameters() {
  Value indices = getInputs()[0], table = getOutputs()[0];
  ArrayRef<int64_t> shape = shapeOf(table);
  return {shape[0], productOf(shape.drop_front()) * bytesOf(table),
          typeOf(indices).getNumElements(), bytesOf(indices)};
}

Parameters ScatterRowsOp::getParameters() {
  Value indices = getInputs()[0], table = getOutputs()[0];
  ArrayRef<int64_t> shape = shapeOf(table);
  return {numberOfFloat(table), shape[0], productOf(shape.drop_front()),
          typeOf(indices).getNumElements(), bytesOf(indices)};
}

bool CombineRowsOp::readsOutputs() { return true; }

Parameters CombineRowsOp::getParameters() {
  Value indices = getInputs()[0], table = getOutputs()[0];
  ArrayRef<int64_t> shape = shapeOf(table);
  return {numberOfNumber(table),         static_cast<int64_t>(getReduction()), shape[0],
          productOf(shape.drop_front()), typeOf(indices).getNumElements(),     bytesOf(indices)};
}

Parameters TopKOp::getParameters() {
  Value data = getInputs()[0];
  ArrayRef<int64_t> shape = shapeOf(data);
  uint64_t axis = getAxis();
  return {numberOfNumber(data),
          productOf(shape.take_front(axis)),
          shape[axis],
          productOf(shape.drop_front(axis + 1)),
          shapeOf(getOutputs()[0])[axis],
          getSmallest()};
}

Parameters MergeRowsOp::getParameters() {
  Value indices = getInputs()[0], rows = getInputs()[1], merged = getOutputs()[1];
  ArrayRef<int64_t> shape = shapeOf(rows);
  return {numberOfFloat(rows), int64_t(getTableRows()), productOf(shape.drop_front()), shape[0],
          shapeOf(merged)[0],  bytesOf(indices),        getInputs().size() == 3};
}

/// The entry of the plan that list `number` of `op` is, or -1.
static int64_t plannedEntry(Operation *op, size_t number) {
  auto entries = op->getAttrOfType<ArrayAttr>(kTableEntries);
  if (!entries || number >= entries.size())
    return -1;
  return cast<DictionaryAttr>(entries[number]).getAs<IntegerAttr>("id").getInt();
}

/// Table, its rows, bytes of a row, entries, bytes of an index, entry of the plan.
static Parameters parametersOfServed(KernelOpInterface op, uint64_t table, uint64_t tableRows,
                                     Value indices, Value rows) {
  int64_t planned = plannedEntry(op, 0);
  int64_t entries = typeOf(indices).getNumElements();
  ArrayRef<int64_t> row = shapeOf(rows).drop_front(typeOf(indices).getRank());
  return {int64_t(table), int64_t(tableRows), productOf(row) * bytesOf(rows),
          entries,        bytesOf(indices),   planned};
}

/// The lists of rows of `op`, see abi.def.
template <typename Op> static Parameters parametersOfLists(Op op) {
  Parameters parameters = {int64_t(op.getInputs().size()), 0};
  for (auto [number, indices] : llvm::enumerate(op.getInputs())) {
    llvm::append_range(parameters,
                       Parameters{op.getTables()[number], op.getTableRows()[number],
                                  op.getRowBytes()[number], typeOf(indices).getNumElements(),
                                  bytesOf(indices), plannedEntry(op, number)});
    appendName(cast<StringAttr>(op.getNodes()[number]).getValue(), parameters);
  }
  parameters[1] = parameters.size() - 2;
  return parameters;
}

template <typename Op> static LogicalResult verifyLists(Op op) {
  for (size_t given : {op.getTables().size(), op.getTableRows().size(), op.getRowBytes().size(),
                       op.getNodes().size()})
    if (given != op.getInputs().size())
      return op.emitOpError("has ")
             << op.getInputs().size() << " lists of rows, but attributes of " << given;
  return success();
}

bool PullRowsOp::readsTables() { return true; }
Parameters PullRowsOp::getParameters() { return parametersOfLists(*this); }
LogicalResult PullRowsOp::verifyParameters() { return verifyLists(*this); }

bool PrefetchRowsOp::writesTables() { return true; }
Parameters PrefetchRowsOp::getParameters() { return parametersOfLists(*this); }
LogicalResult PrefetchRowsOp::verifyParameters() { return verifyLists(*this); }

bool PushRowsOp::writesTables() { return true; }

Parameters PushRowsOp::getParameters() {
  OperandRange scalars = getInputs().drop_front(2);
  Parameters parameters =
      parametersOfServed(*this, getTable(), getTableRows(), getInputs()[0], getInputs()[1]);
  parameters.push_back(scalars.size());
  for (Value scalar : scalars)
    parameters.push_back(bytesOf(scalar));
  return parameters;
}

bool CopyBlocksOp::readsOutputs() { return getKeeps(); }

Parameters CopyBlocksOp::getParameters() {
  return {int64_t(getBlocks()),      int64_t(getBytes()),        int64_t(getInputStride()),
          int64_t(getInputOffset()), int64_t(getOutputStride()), int64_t(getOutputOffset())};
}

Parameters CheckLabelsOp::getParameters() {
  Value labels = getInputs()[0];
  ArrayRef<int64_t> shape = shapeOf(labels);
  return {productOf(shape),         bytesOf(labels),
          int64_t(getClasses()),    productOf(shape.drop_front()),
          getIgnored().has_value(), int64_t(getIgnored().value_or(0))};
}
