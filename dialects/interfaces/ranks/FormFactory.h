// The factory of a dialect that has one operation for several kinds of communication.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_DIALECTS_INTERFACES_RANKS_FORMFACTORY_H
#define TUTTI_DIALECTS_INTERFACES_RANKS_FORMFACTORY_H

#include "dialects/interfaces/ranks/Communication.h"

#include "mlir/IR/Builders.h"

namespace tutti {

/// Makes operations `Op`, which hold their form (Tutti_FormAttr of Communication.td) as their only
/// attribute, before their inputs, for these kinds. What else the dialect has, such as groups of
/// its own and pairs, a class adds that derives from this one.
template <typename Op, CommunicationKind... kinds>
class FormFactory : public CommunicationDialectInterface {
public:
  using CommunicationDialectInterface::CommunicationDialectInterface;

  bool makes(CommunicationKind kind) const override { return ((kind == kinds) || ...); }

  mlir::Operation *create(mlir::OpBuilder &builder, mlir::Location loc,
                          const CommunicationForm &form, mlir::ValueRange inputs,
                          mlir::TypeRange results) const override {
    return Op::create(builder, loc, results, form, inputs);
  }
};

} // namespace tutti

#endif // TUTTI_DIALECTS_INTERFACES_RANKS_FORMFACTORY_H
