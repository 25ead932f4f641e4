// Communication as passes see it, whatever the dialect: forms of operations and of groups, the
// interfaces that tell them, and the factory by which a dialect makes operations of a form.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_DIALECTS_INTERFACES_RANKS_COMMUNICATION_H
#define TUTTI_DIALECTS_INTERFACES_RANKS_COMMUNICATION_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"

#include <optional>

namespace tutti {

/// What an operation does with the ranks of its group; each is what the operation of this name of
/// the dialect `collective` does.
enum class CommunicationKind {
  AllReduce,
  Reduce,
  ReduceScatter,
  Broadcast,
  AllGather,
  Gather,
  Scatter,
  AllToAll,
  AllToAllV,
  AllToAllVC,
  Barrier,
  CreateGroup, ///< its operands are the world ranks of the group
  DestroyGroup,
  Send,
  Receive
};

/// How values of several ranks become one.
enum class Reduction { Sum, Mean, Min, Max, Prod };

/// "all_reduce", "send", ...: as plans and remarks name the kind.
llvm::StringRef spellKind(CommunicationKind kind);
/// "sum", "mean", ...
llvm::StringRef spellReduction(Reduction reduction);

/// What an operation communicates, but for its operands and types.
struct CommunicationForm {
  CommunicationKind kind;
  mlir::FlatSymbolRefAttr group;
  std::optional<Reduction> reduction = std::nullopt; ///< of reductions
  int64_t axis = 0; ///< along which values are cut or joined; 0 where the kind has none
  int64_t root = 0; ///< of kinds with a root
};

/// Whether the kind combines values.
bool isReduction(CommunicationKind kind);
/// Whether one rank gives, or gets, what no other does.
bool hasRoot(CommunicationKind kind);
/// Whether all ranks of the group give or get tensors: no message, barrier or operation on groups.
bool movesData(CommunicationKind kind);

/// How a group divides the ranks.
struct GroupForm {
  enum Kind {
    World,
    Listed,  ///< sets that list their ranks
    Blocks,  ///< `length` neighbouring ranks each
    Strided, ///< ranks that lie `length` apart
    PerNode,
    AcrossNodes, ///< those of one number on all nodes
    AtRunTime,   ///< made and ended by the program
    Other        ///< known to the group alone
  };
  Kind kind = World;
  int64_t length = 0;
  /// The number of ranks of the world, or of each set, where the group is declared with it.
  std::optional<int64_t> size = std::nullopt;

  bool operator==(const GroupForm &other) const {
    return kind == other.kind && length == other.length && size == other.size;
  }
};

/// What is asked about groups.
struct RankQuestion {
  enum Kind { Rank, Size, LocalRank, LocalSize, Translate };
  Kind kind;
  mlir::FlatSymbolRefAttr group; ///< null for questions about the node
  mlir::FlatSymbolRefAttr to;    ///< of Translate: the group in which the number is wanted
};

/// The kind or the reduction of this name; nothing if there is none.
std::optional<CommunicationKind> parseKind(llvm::StringRef name);
std::optional<Reduction> parseReduction(llvm::StringRef name);

/// The form that `attribute` holds (Tutti_FormAttr of Communication.td); nothing if it is none.
std::optional<CommunicationForm> readForm(mlir::Attribute attribute);
mlir::DictionaryAttr writeForm(mlir::MLIRContext *context, const CommunicationForm &form);

} // namespace tutti

#include "dialects/interfaces/ranks/ByForm.h"

#include "dialects/interfaces/ranks/Communication.h.inc"

namespace tutti {

/// The form of an operation that communicates; nothing for others.
std::optional<CommunicationForm> getForm(mlir::Operation *op);
/// The name of what `op` does: that of its kind, or of the operation without its dialect.
llvm::StringRef spellKind(mlir::Operation *op);
/// Whether `op`, which may be null, communicates in one of these kinds.
bool isKind(mlir::Operation *op, llvm::ArrayRef<CommunicationKind> kinds);
/// Whether all ranks of a group give or get tensors in `op`.
bool movesData(mlir::Operation *op);
/// Whether `op` stands in the region of what starts it (CommunicationStartOpInterface).
bool isStartedApart(mlir::Operation *op);

/// The operation that started what `done` awaits; null if another operation hands its future on.
CommunicationStartOpInterface findStart(CommunicationDoneOpInterface done);
/// What result `index` of `done` is, as the started operations name it; null if that is not known.
mlir::Value findPromised(CommunicationDoneOpInterface done, unsigned index);

/// The group that `group` names at `user`, or null if it names none or is null itself.
GroupOpInterface findGroup(mlir::Operation *user, mlir::FlatSymbolRefAttr group);
/// The number of ranks of the job, if a group of the symbol table `table`, which may be null, tells
/// it.
std::optional<int64_t> findWorldSize(mlir::Operation *table);
/// The same of the symbol table in which `op` stands.
std::optional<int64_t> findWorldSizeAt(mlir::Operation *op);
/// The group of all ranks in `table`, of the dialect of `like` if that is not null; or null.
GroupOpInterface findWorldGroup(mlir::Operation *table, mlir::Operation *like = nullptr);
/// The members of the set with `rank`, as `getMembersWith`, where the size of the world is known.
std::optional<llvm::SmallVector<int64_t>> getSetOf(GroupOpInterface group, int64_t rank);
/// The groups that `op` means by their names, whether it communicates or asks. Null ones are left
/// out.
llvm::SmallVector<mlir::FlatSymbolRefAttr, 2> getGroupsOf(mlir::Operation *op);
/// Whether `value` is the answer to a question of this kind; the question's operation, or null.
RankQueryOpInterface findQuestion(mlir::Value value, RankQuestion::Kind kind);

/// By this a dialect makes operations: the factory of passes that rewrite communication. Dialects
/// that do not know this library are given one from outside, by an extension of the registry.
///
/// A dialect need not have all of this: what it lacks leaves the program as it is, with a remark,
/// or is an error of the pass that cannot do without. The least is `makes` and `create`.
class CommunicationDialectInterface
    : public mlir::DialectInterface::Base<CommunicationDialectInterface> {
public:
  explicit CommunicationDialectInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// Whether `create` makes operations of this kind.
  virtual bool makes(CommunicationKind kind) const = 0;

  /// An operation of `form`, a kind that the dialect makes, on tensors, at the builder's point: one
  /// result for each of `inputs`. Null where it cannot be, as of several inputs in a dialect
  /// without buckets.
  virtual mlir::Operation *create(mlir::OpBuilder &builder, mlir::Location loc,
                                  const CommunicationForm &form, mlir::ValueRange inputs,
                                  mlir::TypeRange results) const = 0;

  /// `op`, on tensors, with other inputs and results, as many of the one as of the other: it keeps
  /// all attributes, also those of which its form says nothing. Null where it cannot be. By
  /// default an operation of the same name; null where its operands are in segments.
  virtual mlir::Operation *createLike(mlir::OpBuilder &builder, mlir::Location loc,
                                      mlir::Operation *op, mlir::ValueRange inputs,
                                      mlir::TypeRange results) const;

  /// Whether the dialect has pairs that start and await its operations.
  virtual bool makesPairs() const { return false; }

  /// The two halves of a pair.
  struct Pair {
    mlir::Operation *start = nullptr, *done = nullptr;
  };
  /// Of a dialect that has them. Moves `chain`, operations on tensors of this dialect of which each
  /// takes over all that the one before gives, into what starts it at the builder's point; the
  /// other half comes after, and takes over all uses of the results of the last.
  virtual Pair createPair(mlir::OpBuilder &builder, mlir::Location loc,
                          llvm::ArrayRef<mlir::Operation *> chain) const {
    return {};
  }

  /// A group, not yet in a symbol table; null where the dialect has none of this form.
  virtual mlir::Operation *createGroup(mlir::OpBuilder &builder, mlir::Location loc,
                                       llvm::StringRef name, const GroupForm &form) const {
    return nullptr;
  }

  /// Whether the dialect has a question of this kind: of Rank and Size, those two below.
  virtual bool asks(RankQuestion::Kind kind) const { return false; }
  /// This rank's number in its set of `group`, or the number of ranks of that: an index.
  virtual mlir::Value createRank(mlir::OpBuilder &builder, mlir::Location loc,
                                 mlir::FlatSymbolRefAttr group) const {
    return {};
  }
  virtual mlir::Value createSize(mlir::OpBuilder &builder, mlir::Location loc,
                                 mlir::FlatSymbolRefAttr group) const {
    return {};
  }

  /// Whether the dialect has the two below.
  virtual bool makesRows() const { return false; }

  /// The elements of `tensor`, of static shape, in one dimension with zeros after them up to
  /// `length`; and the first elements of such a `row` as a tensor of `type`. They need not be
  /// operations of the dialect.
  virtual mlir::Value createRow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor,
                                int64_t length) const {
    return {};
  }
  virtual mlir::Value createFromRow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value row,
                                    mlir::RankedTensorType type) const {
    return {};
  }
  /// Whether `op`, of this dialect, makes a row of a tensor or a tensor of a row.
  virtual bool changesRow(mlir::Operation *op) const { return false; }
};

/// Whether `op` only makes a row of a tensor or a tensor of a row, as the factory of its dialect
/// does.
bool changesRow(mlir::Operation *op);

/// The factory of the dialect of `op`; null where it has none.
const CommunicationDialectInterface *getFactory(mlir::Operation *op);
/// The factory of the dialect that declares `group` for `user`; null where there is none.
const CommunicationDialectInterface *getFactory(mlir::Operation *user,
                                                mlir::FlatSymbolRefAttr group);

} // namespace tutti

#endif
