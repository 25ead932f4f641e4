// The optimizer of a recipe: the states it keeps for each variable, and the operation that moves
// it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_RECIPE_RECIPEOPTIMIZER_H
#define TUTTI_PASSES_GRADIENT_RECIPE_RECIPEOPTIMIZER_H

#include "passes/gradient/recipe/Recipe.h"

#include "mlir/IR/Builders.h"

namespace tutti::gradient {

class RecipeOptimizer {
public:
  explicit RecipeOptimizer(const Recipe &recipe) : recipe(recipe) {}

  /// What PyTorch appends to a variable's name for each state: "momentum"; "sum"; "exp_avg" and
  /// "exp_avg_sq".
  llvm::SmallVector<llvm::StringRef> stateNames() const;

  /// The type of each of them, of a variable of type `variable`. Of a table that is looked up, some
  /// optimizers keep one number of each row.
  mlir::Type stateType(mlir::Type variable, bool isTable) const;

  /// Whether the update depends on the number of steps done.
  bool needsStep() const;

  /// What a step needs besides a variable, its gradient and states. `step` and `nextStep` count the
  /// steps done before and after this one; null when they are not needed.
  struct Rate {
    mlir::Value learningRate, step, nextStep;
  };

  /// Creates the operation that updates `variable`, which decays only if `decays`; its results are
  /// the new variable, then the new states, which have the types that stateType() says.
  mlir::Operation *update(mlir::OpBuilder &builder, mlir::Location location, mlir::Value variable,
                          mlir::Value gradient, mlir::ValueRange states, const Rate &rate,
                          bool decays) const;

private:
  bool hasVelocity() const { return recipe.momentum != 0; }

  const Recipe &recipe;
};

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_RECIPE_RECIPEOPTIMIZER_H
