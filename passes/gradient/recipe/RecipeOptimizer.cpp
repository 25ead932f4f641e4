// PyTorch's optimizers in terms of the train dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/recipe/RecipeOptimizer.h"

#include "dialects/train/Train.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::gradient;

SmallVector<StringRef> RecipeOptimizer::stateNames() const {
  switch (recipe.optimizer) {
  case Recipe::Optimizer::Sgd:
  case Recipe::Optimizer::Momentum:
    return hasVelocity() ? SmallVector<StringRef>{"momentum"} : SmallVector<StringRef>{};
  case Recipe::Optimizer::Adagrad:
  case Recipe::Optimizer::RowwiseAdagrad:
    return {"sum"};
  case Recipe::Optimizer::Rmsprop:
    return hasVelocity() ? SmallVector<StringRef>{"square_avg", "momentum"}
                         : SmallVector<StringRef>{"square_avg"};
  case Recipe::Optimizer::Lion:
    return {"exp_avg"};
  case Recipe::Optimizer::Adam:
  case Recipe::Optimizer::AdamW:
  case Recipe::Optimizer::NAdam:
  case Recipe::Optimizer::Lamb:
    return {"exp_avg", "exp_avg_sq"};
  }
  return {};
}

Type RecipeOptimizer::stateType(Type variable, bool isTable) const {
  auto tensor = cast<RankedTensorType>(variable);
  bool isOfRows = recipe.optimizer == Recipe::Optimizer::RowwiseAdagrad && isTable;
  return isOfRows ? RankedTensorType::get(tensor.getShape().take_front(1), tensor.getElementType())
                  : variable;
}

bool RecipeOptimizer::needsStep() const {
  if (!recipe.schedule.isConstant())
    return true;
  switch (recipe.optimizer) {
  case Recipe::Optimizer::Sgd:
  case Recipe::Optimizer::Momentum: // the first step is not dampened
    return hasVelocity() && recipe.dampening != 0;
  case Recipe::Optimizer::Adagrad:
  case Recipe::Optimizer::RowwiseAdagrad:
    return recipe.learningRateDecay != 0;
  case Recipe::Optimizer::Rmsprop:
  case Recipe::Optimizer::Lion:
    return false;
  case Recipe::Optimizer::Adam:
  case Recipe::Optimizer::AdamW:
  case Recipe::Optimizer::NAdam:
  case Recipe::Optimizer::Lamb:
    return true;
  }
  return false;
}

Operation *RecipeOptimizer::update(OpBuilder &builder, Location location, Value variable,
                                   Value gradient, ValueRange states, const Rate &schedule,
                                   bool decays) const {
  auto number = [&](double value) { return builder.getF32FloatAttr(static_cast<float>(value)); };
  Type type = variable.getType();
  Value rate = schedule.learningRate;
  double decay = decays ? recipe.weightDecay : 0;
  bool stepsCount = recipe.dampening != 0 || recipe.learningRateDecay != 0;
  switch (recipe.optimizer) {
  case Recipe::Optimizer::Sgd:
  case Recipe::Optimizer::Momentum: {
    if (!hasVelocity())
      return train::SgdOp::create(builder, location, type, variable, gradient, rate, Value(),
                                  number(decay));
    auto mode = recipe.nesterov ? train::MomentumMode::Nesterov : train::MomentumMode::Standard;
    return train::MomentumOp::create(
        builder, location, type, type, variable, gradient, states[0], rate,
        stepsCount ? schedule.step : Value(), number(recipe.momentum), number(1 - recipe.dampening),
        number(decay), train::MomentumModeAttr::get(builder.getContext(), mode));
  }
  case Recipe::Optimizer::RowwiseAdagrad:
    if (states[0].getType() != type)
      return train::RowwiseAdagradOp::create(builder, location, type, states[0].getType(), variable,
                                             gradient, states[0], rate, number(recipe.epsilon),
                                             number(decay));
    [[fallthrough]];
  case Recipe::Optimizer::Adagrad:
    return train::AdagradOp::create(builder, location, type, type, variable, gradient, states[0],
                                    rate, stepsCount ? schedule.step : Value(),
                                    number(recipe.learningRateDecay), number(recipe.epsilon),
                                    number(decay));
  case Recipe::Optimizer::Lamb:
    if (decay != 0)
      return train::LambOp::create(builder, location, type, type, type, variable, gradient,
                                   states[0], states[1], rate, schedule.nextStep,
                                   number(recipe.beta1), number(recipe.beta2),
                                   number(recipe.epsilon), number(decay));
    [[fallthrough]]; // without decay the rate is not the variable's own, as in most of its versions
  case Recipe::Optimizer::Adam: // t counts from 1
    return train::AdamOp::create(builder, location, type, type, type, variable, gradient, states[0],
                                 states[1], rate, schedule.nextStep, number(recipe.beta1),
                                 number(recipe.beta2), number(recipe.epsilon), number(decay),
                                 number(0), UnitAttr());
  case Recipe::Optimizer::AdamW:
    return train::AdamWOp::create(builder, location, type, type, type, variable, gradient,
                                  states[0], states[1], rate, schedule.nextStep,
                                  number(recipe.beta1), number(recipe.beta2),
                                  number(recipe.epsilon), number(decay), UnitAttr(), UnitAttr());
  case Recipe::Optimizer::NAdam:
    return train::NAdamOp::create(
        builder, location, type, type, type, variable, gradient, states[0], states[1], rate,
        schedule.nextStep, number(recipe.beta1), number(recipe.beta2), number(recipe.epsilon),
        number(decay), number(recipe.momentumDecay));
  case Recipe::Optimizer::Rmsprop:
    if (hasVelocity())
      return train::RmspropMomentumOp::create(builder, location, type, type, type, variable,
                                              gradient, states[0], states[1], rate, Value(),
                                              number(recipe.momentum), number(recipe.alpha),
                                              number(recipe.epsilon), number(decay));
    return train::RmspropOp::create(builder, location, type, type, variable, gradient, states[0],
                                    rate, Value(), number(recipe.alpha), number(recipe.epsilon),
                                    number(decay));
  case Recipe::Optimizer::Lion:
    return train::LionOp::create(builder, location, type, type, variable, gradient, states[0], rate,
                                 Value(), number(recipe.beta1), number(recipe.beta2),
                                 number(decay));
  }
  return nullptr;
}
