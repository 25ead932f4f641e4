// The tensors that a graph's nodes can use, by name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_TENSORSCOPE_H
#define TUTTI_LIB_FRONTEND_MODEL_TENSORSCOPE_H

#include "lib/frontend/model/TensorReader.h"
#include "lib/frontend/model/values/SizeTerm.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <optional>

namespace tutti::frontend {

/// The contents of a small integer tensor as far as they are known: `ShapedType::kDynamic` stands
/// for the size of a dimension that varies. A scalar has one entry. Truths are 0 and 1.
struct Sizes {
  llvm::SmallVector<int64_t> values;
  bool isScalar = false;
  mlir::IntegerType type = {}; ///< of an element; i64 if it is null
  /// Empty, or one for each value.
  llvm::SmallVector<SizeOrigin> origins = {};
  /// Empty, or one for each value; no value where nothing is known of one that varies.
  llvm::SmallVector<std::optional<SizeTerm>> terms = {};
  int64_t columns = 0; ///< of a matrix, whose values are row by row; 0 of a vector or a scalar

  SizeOrigin origin(size_t index) const {
    return index < origins.size() ? origins[index] : SizeOrigin();
  }
  /// What entry `index` is made of; none if that is not known.
  std::optional<SizeTerm> term(size_t index) const {
    if (values[index] != mlir::ShapedType::kDynamic)
      return SizeTerm::number(values[index]);
    if (index < terms.size() && terms[index])
      return terms[index];
    return origin(index).tensor ? std::optional(SizeTerm{origin(index)}) : std::nullopt;
  }
  /// Adds entry `index` of `other`.
  void append(const Sizes &other, size_t index) {
    origins.resize(values.size());
    origins.push_back(other.origin(index));
    terms.resize(values.size());
    terms.push_back(other.term(index));
    values.push_back(other.values[index]);
  }
  bool isMatrix() const { return columns > 0; }
  bool areKnown() const { return !llvm::is_contained(values, mlir::ShapedType::kDynamic); }
};

/// Sizes that vary as floats: each entry is what its numerator is, divided by `divisor`.
struct FloatSizes {
  Sizes numerators;
  int64_t divisor = 1; ///< positive
};

/// Maps tensor names to values of the function being built. Initializers that are no variables
/// become constants where they are first used; sizes computed from shapes become constants only if
/// somebody needs them as a value.
class TensorScope {
public:
  TensorScope(const ModelFile &file, TensorReader &tensors, mlir::OpBuilder &builder)
      : file(file), tensors(tensors), builder(builder) {}

  /// A scope within `outer`, which must outlive it: it sees the names of `outer` if `seesOuter`, as
  /// a subgraph does, else only what `give` makes known, as the body of a function.
  TensorScope(TensorScope &outer, bool seesOuter)
      : file(outer.file), tensors(outer.tensors), builder(outer.builder), outer(&outer),
        seesOuter(seesOuter) {}

  /// In here, `name` is the tensor `nameOutside` of the outer scope.
  void give(llvm::StringRef name, llvm::StringRef nameOutside) {
    aliases[name] = nameOutside.str();
  }
  /// Defines `name` as what `nameInside` is in the scope `inside`; fails after a diagnostic.
  mlir::LogicalResult takeOver(llvm::StringRef name, TensorScope &inside,
                               llvm::StringRef nameInside, mlir::Location user);

  void define(llvm::StringRef name, mlir::Value value) { values[name] = value; }
  void defineSizes(llvm::StringRef name, Sizes known) { sizes[name] = std::move(known); }
  /// Says what the floats of `name`, which is defined as a value, are.
  void defineFloatSizes(llvm::StringRef name, FloatSizes known) {
    floatSizes[name] = std::move(known);
  }
  void defineConstant(const proto::TensorProto &tensor) { initializers[tensor.name()] = &tensor; }
  /// Looking `name` up gives the error `reason`.
  void defineUnavailable(llvm::StringRef name, std::string reason) {
    unavailable[name] = std::move(reason);
  }

  /// In a survey: nobody knows the type of `name`, which has been said.
  void defineUnknown(llvm::StringRef name) { unknown.insert(name); }
  bool isUnknown(llvm::StringRef name) { return ownerOf(name)->unknown.contains(name); }

  /// What `name` was defined as here; null if it is no value yet.
  mlir::Value valueOf(llvm::StringRef name) const { return values.lookup(name); }

  /// The value of tensor `name`; null after a diagnostic at `user`.
  mlir::Value lookup(llvm::StringRef name, mlir::Location user);

  /// What is known of an integer tensor of rank 0 or 1: computed sizes, or the contents of a
  /// constant.
  std::optional<Sizes> lookupSizes(llvm::StringRef name, mlir::Location user);

  /// The same of where a slice begins and ends, which may also be the least integer that there is.
  /// The one after it says the same, and stands for it: it is no size that varies.
  std::optional<Sizes> lookupBounds(llvm::StringRef name, mlir::Location user);

  /// A size as a tensor of `type`, which has one element.
  mlir::Value makeSize(const SizeTerm &term, mlir::RankedTensorType type, mlir::Location user);

  /// What lookupSizes gives, or of a matrix that was computed from such.
  std::optional<Sizes> lookupTable(llvm::StringRef name, mlir::Location user);

  /// What is known of a number or a short vector of floats: a constant, or computed from constants
  /// and known sizes.
  std::optional<llvm::SmallVector<double>> lookupFloats(llvm::StringRef name, mlir::Location user);

  /// What was said of `name` by defineFloatSizes.
  std::optional<FloatSizes> lookupFloatSizes(llvm::StringRef name);

  /// What an error adds about a tensor that must be known before the program runs: how an input of
  /// the graph gets a value. Empty for other tensors.
  std::string howToGive(llvm::StringRef name);

  /// The same, and what to write in place of a tensor that data decide. Empty for initializers.
  std::string howToKnow(llvm::StringRef name);

  /// Whether `name` was computed from shapes and is no value yet.
  bool isComputedSizes(llvm::StringRef name) { return ownerOf(name)->sizes.count(name); }

private:
  /// The scope that says what `name` is, where `name` becomes the one that it has there.
  TensorScope *ownerOf(llvm::StringRef &name);
  bool defines(llvm::StringRef name) const;
  mlir::Value materialize(llvm::StringRef name, const Sizes &known, mlir::Location user);
  mlir::Value materializeVarying(llvm::StringRef name, const Sizes &known, mlir::Location user);

  const ModelFile &file;
  TensorReader &tensors;
  mlir::OpBuilder &builder;
  llvm::StringMap<mlir::Value> values;
  llvm::StringMap<Sizes> sizes;
  llvm::StringMap<FloatSizes> floatSizes;
  llvm::StringMap<const proto::TensorProto *> initializers;
  llvm::StringMap<std::string> unavailable;
  llvm::StringSet<> unknown;
  llvm::StringMap<std::string> aliases; ///< names here to names in `outer`
  TensorScope *outer = nullptr;
  bool seesOuter = false;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_TENSORSCOPE_H
