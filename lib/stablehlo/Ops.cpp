// Reading and making operations of StableHLO that nobody has registered.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/stablehlo/Ops.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tutti;

/// The operation of CHLO that a custom call stands for; empty for another one. The targets are
/// those that StableHLO's pass chlo-legalize-to-stablehlo keeps and XLA knows.
static StringRef getCalledKind(Operation *op) {
  static const llvm::StringMap<StringRef> kinds = {
      {"mhlo.acos", "chlo.acos"},   {"mhlo.acosh", "chlo.acosh"}, {"mhlo.asin", "chlo.asin"},
      {"mhlo.asinh", "chlo.asinh"}, {"mhlo.atanh", "chlo.atanh"}, {"mhlo.cosh", "chlo.cosh"},
      {"mhlo.erf", "chlo.erf"},     {"mhlo.sinh", "chlo.sinh"},   {"mhlo.topk", "chlo.top_k"},
  };
  auto target = op->getAttrOfType<StringAttr>("call_target_name");
  return target ? kinds.lookup(target.getValue()) : "";
}

StringRef stablehlo::getKind(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name == "stablehlo.custom_call")
    if (StringRef known = getCalledKind(op); !known.empty())
      return known;
  if (name.consume_front("stablehlo.") || name.starts_with("chlo."))
    return name;
  return "";
}

SmallVector<int64_t> stablehlo::getIntegers(Operation *op, StringRef name) {
  SmallVector<int64_t> numbers;
  Attribute attribute = op->getAttr(name);
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attribute))
    return SmallVector<int64_t>(array.asArrayRef());
  if (auto elements = dyn_cast_or_null<DenseIntElementsAttr>(attribute))
    for (const APInt &number : elements.getValues<APInt>())
      numbers.push_back(number.getSExtValue());
  if (auto list = dyn_cast_or_null<ArrayAttr>(attribute))
    for (Attribute entry : list)
      if (auto number = dyn_cast<IntegerAttr>(entry))
        numbers.push_back(number.getInt());
  return numbers;
}

/// The attribute `name`, a list of sizes, gets `size` at `place`.
static void setSize(Operation *op, StringRef name, int64_t place, int64_t size) {
  SmallVector<int64_t> sizes = stablehlo::getIntegers(op, name);
  if (place < 0 || place >= static_cast<int64_t>(sizes.size()))
    return;
  sizes[place] = size;
  Attribute old = op->getAttr(name);
  Builder builder(op->getContext());
  if (auto elements = dyn_cast<DenseIntElementsAttr>(old))
    op->setAttr(name, DenseIntElementsAttr::get(elements.getType(), ArrayRef<int64_t>(sizes)));
  else
    op->setAttr(name, builder.getDenseI64ArrayAttr(sizes));
}

/// As many groups as there are features of the input for each of the kernel, and samples of the
/// input for each of the output.
static void fitGroups(Operation *op) {
  std::optional<stablehlo::ConvolutionDimensions> at = stablehlo::getConvolutionDimensions(op);
  auto sizeOf = [](Value value, int64_t dimension) {
    return cast<RankedTensorType>(value.getType()).getDimSize(dimension);
  };
  auto setGroups = [&](StringRef name, int64_t groups) {
    if (auto old = op->getAttrOfType<IntegerAttr>(name))
      op->setAttr(name, IntegerAttr::get(old.getType(), groups));
  };
  if (!at)
    return;
  setGroups("feature_group_count", sizeOf(op->getOperand(0), at->inputFeature) /
                                       sizeOf(op->getOperand(1), at->kernelInput));
  setGroups("batch_group_count",
            sizeOf(op->getOperand(0), at->inputBatch) / sizeOf(op->getResult(0), at->outputBatch));
}

void stablehlo::fitSizes(Operation *op, int64_t dimension) {
  StringRef kind = getKind(op);
  int64_t size = kind.empty() || op->getNumOperands() == 0
                     ? 0
                     : cast<RankedTensorType>(op->getOperand(0).getType()).getDimSize(dimension);
  if (kind == "slice")
    setSize(op, "limit_indices", dimension, size);
  if (kind == "gather" &&
      !llvm::is_contained(getListIn(op, "dimension_numbers", "operand_batching_dims"), dimension))
    setSize(op, "slice_sizes", dimension, size);
  if (kind == "dynamic_slice")
    setSize(op, "slice_sizes", dimension, size);
  if (kind == "convolution")
    fitGroups(op);
}

std::optional<int64_t> stablehlo::getInteger(Operation *op, StringRef name) {
  if (auto number = op->getAttrOfType<IntegerAttr>(name))
    return number.getValue().getSExtValue();
  return std::nullopt;
}

std::string stablehlo::getText(Attribute attribute) {
  std::string text;
  if (!attribute)
    return text;
  llvm::raw_string_ostream out(text);
  attribute.print(out, /*elideType=*/true);
  StringRef rest = text;
  if (rest.consume_front("#stablehlo.") || rest.consume_front("#stablehlo<"))
    return rest.str();
  return text;
}

/// What follows `key =` in `text`; empty if the word is not there.
static StringRef findAfter(StringRef text, StringRef key) {
  for (size_t at = text.find(key); at != StringRef::npos; at = text.find(key, at + 1)) {
    bool isWhole = at == 0 || !(llvm::isAlnum(text[at - 1]) || text[at - 1] == '_');
    StringRef rest = text.drop_front(at + key.size()).ltrim();
    if (isWhole && rest.consume_front("="))
      return rest.ltrim();
  }
  return "";
}

SmallVector<int64_t> stablehlo::getListIn(Operation *op, StringRef name, StringRef key) {
  std::string text = getText(op->getAttr(name));
  StringRef rest = findAfter(text, key);
  SmallVector<int64_t> numbers;
  if (!rest.consume_front("["))
    return numbers;
  SmallVector<StringRef> words;
  rest.take_until([](char c) { return c == ']'; }).split(words, ',', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    int64_t number = 0;
    if (!word.trim().getAsInteger(10, number))
      numbers.push_back(number);
  }
  return numbers;
}

std::optional<int64_t> stablehlo::getIntegerIn(Operation *op, StringRef name, StringRef key) {
  std::string text = getText(op->getAttr(name));
  StringRef rest = findAfter(text, key);
  int64_t number = 0;
  if (rest.consumeInteger(10, number))
    return std::nullopt;
  return number;
}

/// The letters and digits between brackets, and `text` goes on after them.
static SmallVector<StringRef> takeBrackets(StringRef &text) {
  SmallVector<StringRef> words;
  auto [before, after] = text.split('[');
  auto [inside, rest] = after.split(']');
  inside.split(words, ',');
  for (StringRef &word : words)
    word = word.trim();
  text = rest;
  return words;
}

static int64_t findWord(ArrayRef<StringRef> words, StringRef word) {
  const StringRef *found = llvm::find(words, word);
  return found == words.end() ? -1 : found - words.begin();
}

std::optional<stablehlo::ConvolutionDimensions> stablehlo::getConvolutionDimensions(Operation *op) {
  std::string text = getText(op->getAttr("dimension_numbers"));
  StringRef rest = text;
  SmallVector<StringRef> input = takeBrackets(rest), kernel = takeBrackets(rest),
                         output = takeBrackets(rest);
  ConvolutionDimensions found;
  found.inputBatch = findWord(input, "b");
  found.inputFeature = findWord(input, "f");
  found.kernelInput = findWord(kernel, "i");
  found.kernelOutput = findWord(kernel, "o");
  found.outputBatch = findWord(output, "b");
  found.outputFeature = findWord(output, "f");
  bool isWhole =
      llvm::all_of(ArrayRef<int64_t>{found.inputBatch, found.inputFeature, found.kernelInput,
                                     found.kernelOutput, found.outputBatch, found.outputFeature},
                   [](int64_t at) { return at >= 0; });
  return isWhole ? std::optional(found) : std::nullopt;
}

StringRef stablehlo::getReduction(Region &region, unsigned tensors) {
  if (!region.hasOneBlock() || tensors == 0 || region.getNumArguments() != 2 * tensors)
    return "";
  Block &block = region.front();
  if (block.getOperations().size() != tensors + 1 || block.back().getNumOperands() != tensors)
    return "";
  StringRef kind = getKind(&block.front());
  if (!llvm::is_contained({"add", "multiply", "maximum", "minimum", "and", "or"}, kind))
    return "";
  for (auto [index, value] : llvm::enumerate(block.back().getOperands())) {
    Operation *op = value.getDefiningOp();
    Value one = region.getArgument(index), other = region.getArgument(tensors + index);
    bool isOfBoth = op && op->getNumOperands() == 2 && llvm::is_contained(op->getOperands(), one) &&
                    llvm::is_contained(op->getOperands(), other);
    if (!isOfBoth || getKind(op) != kind)
      return "";
  }
  return kind;
}

static bool isZeroConstant(Attribute attribute) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!elements || !elements.isSplat())
    return false;
  Attribute value = elements.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().isZero();
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getValue().isZero();
}

bool stablehlo::isSplat(Value value) {
  Operation *op = value.getDefiningOp();
  if (isKind(op, "constant")) {
    auto elements = dyn_cast_or_null<DenseElementsAttr>(op->getAttr("value"));
    return elements && elements.isSplat();
  }
  return isKind(op, "broadcast_in_dim") && op->getNumOperands() == 1 &&
         cast<RankedTensorType>(op->getOperand(0).getType()).getRank() == 0;
}

bool stablehlo::isZero(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isKind(op, "constant"))
      return isZeroConstant(op->getAttr("value"));
    if (op->getNumOperands() != 1 ||
        !llvm::is_contained({"broadcast_in_dim", "reshape", "convert", "transpose"}, getKind(op)))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

Attribute stablehlo::makeAttribute(MLIRContext *context, StringRef text) {
  return OpaqueAttr::get(StringAttr::get(context, "stablehlo"), text, NoneType::get(context));
}

Operation *stablehlo::create(OpBuilder &builder, Location loc, StringRef kind, TypeRange results,
                             ValueRange operands, ArrayRef<NamedAttribute> attributes,
                             unsigned regions) {
  OperationState state(loc, ("stablehlo." + kind).str(), operands, results);
  if (!attributes.empty())
    state.propertiesAttr = builder.getDictionaryAttr(attributes);
  for (unsigned i = 0; i < regions; ++i)
    state.addRegion();
  return builder.create(state);
}

Value stablehlo::createConstant(OpBuilder &builder, Location loc, DenseElementsAttr value) {
  return create(builder, loc, "constant", value.getType(), {}, builder.getNamedAttr("value", value))
      ->getResult(0);
}

void stablehlo::fillReduction(Region &region, Location loc, StringRef kind, Type element) {
  OpBuilder builder(region.getContext());
  Type scalar = RankedTensorType::get({}, element);
  Block *block = builder.createBlock(&region, {}, {scalar, scalar}, {loc, loc});
  Operation *result = create(builder, loc, kind, scalar, block->getArguments());
  create(builder, loc, "return", {}, result->getResults());
}

bool stablehlo::isNamed(Operation *root, StringAttr symbol) {
  WalkResult result = root->walk([&](Operation *op) {
    WalkResult found = op->getAttrDictionary().walk([&](SymbolRefAttr reference) {
      return reference.getRootReference() == symbol ? WalkResult::interrupt()
                                                    : WalkResult::advance();
    });
    return found.wasInterrupted() ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}
