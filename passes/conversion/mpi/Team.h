// Groups of ranks as tables in the program. Upstream's mpi dialect has one communicator that its
// lowering gets right for every MPI, that of the world; so a group is the world ranks of its
// members, and its messages carry a tag of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_CONVERSION_MPI_TEAM_H
#define TUTTI_PASSES_CONVERSION_MPI_TEAM_H

#include "dialects/collective/Collective.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tutti::conversion {

/// One group: its tables, all of i32, none of them for the world.
struct Team {
  std::string name;
  int64_t number = 0;       ///< among the groups of the module
  int64_t worldSize = 0;    ///< the ranks of the job
  bool hasEveryRank = true; ///< whether each rank of the world is in a set
  bool isMadeAtRunTime = false;

  mlir::memref::GlobalOp sets;    ///< by world rank: the number of its set, or -1
  mlir::memref::GlobalOp places;  ///< by world rank: its place in that set
  mlir::memref::GlobalOp sizes;   ///< by set: how many ranks it has
  mlir::memref::GlobalOp members; ///< by set and place: the world rank

  bool isWorld() const { return !sets; }
};

/// The groups of one module, each with its tables, which are declared when it is first asked for.
class Teams {
public:
  Teams(mlir::ModuleOp module, mlir::SymbolTable &symbols);

  /// The team of `group`. Fails with an error at `user` where its sets are not known.
  mlir::FailureOr<const Team *> get(mlir::Operation *user, mlir::FlatSymbolRefAttr group);

  /// The number of groups of the module.
  int64_t count() const { return numbers.size(); }

private:
  mlir::LogicalResult declare(mlir::Operation *user, collective::GroupOp group, Team &team);
  mlir::memref::GlobalOp table(llvm::StringRef what, const Team &team,
                               llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int32_t> values);
  void declareTables(Team &team, int64_t sets, int64_t most, llvm::ArrayRef<int32_t> setOf,
                     llvm::ArrayRef<int32_t> placeOf, llvm::ArrayRef<int32_t> sizes,
                     llvm::ArrayRef<int32_t> members);

  mlir::ModuleOp module;
  mlir::SymbolTable &symbols;
  llvm::DenseMap<mlir::StringAttr, int64_t> numbers;
  llvm::DenseMap<mlir::StringAttr, std::unique_ptr<Team>> teams;
};

/// What a rank reads about itself and the others of its set, at one place of the program. Values
/// are of type index, and are computed where the builder is when they are asked for.
class TeamRank {
public:
  /// Asks for the world communicator and the rank in it.
  TeamRank(mlir::ImplicitLocOpBuilder &builder, const Team &team);

  mlir::Value getCommunicator() const { return communicator; }
  /// Whether this rank is in a set, an i1.
  mlir::Value isMember();
  /// The place of this rank in its set; -1 if it is in none.
  mlir::Value getPlace();
  /// The number of ranks of its set; 0 if it is in none.
  mlir::Value getSize();
  /// The world rank, an i32, at `place` of this rank's set, which must have it.
  mlir::Value getRankAt(mlir::Value place);
  /// The place, in this rank's set of `other`, of the rank at `place` of this rank's set here; -1
  /// if there is none.
  mlir::Value translate(mlir::Value place, TeamRank &other);
  /// Writes the tables of a group that is made, or ended (no ranks), at run time.
  void make(mlir::ValueRange worldRanks);

private:
  mlir::Value constant(int64_t value);
  mlir::Value load(mlir::memref::GlobalOp table, mlir::ValueRange indices);
  void store(mlir::Value value, mlir::memref::GlobalOp table, mlir::ValueRange indices);
  mlir::Value getSet();
  mlir::Value getMember(mlir::Value place);
  mlir::Value getPlaceOf(mlir::Value worldRank);
  /// `then`, computed where `condition` holds, and `otherwise` where it does not.
  mlir::Value choose(mlir::Value condition, llvm::function_ref<mlir::Value()> then,
                     int64_t otherwise);

  mlir::ImplicitLocOpBuilder &builder;
  const Team &team;
  mlir::Value communicator, worldRank;
};

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_MPI_TEAM_H
