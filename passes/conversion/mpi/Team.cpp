// Tables of groups: their contents where the sets are known, and how programs read and write them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/conversion/mpi/Team.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::conversion;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

Teams::Teams(ModuleOp module, SymbolTable &symbols) : module(module), symbols(symbols) {
  for (auto group : module.getOps<collective::GroupOp>())
    numbers.try_emplace(group.getSymNameAttr(), numbers.size());
}

memref::GlobalOp Teams::table(StringRef what, const Team &team, ArrayRef<int64_t> shape,
                              ArrayRef<int32_t> values) {
  OpBuilder builder(module.getContext());
  auto tensor = RankedTensorType::get(shape, builder.getI32Type());
  auto global = memref::GlobalOp::create(
      builder, module.getLoc(), ("mpi_" + what + "_" + team.name).str(),
      builder.getStringAttr("private"), MemRefType::get(shape, builder.getI32Type()),
      DenseElementsAttr::get(tensor, values), /*constant=*/!team.isMadeAtRunTime, IntegerAttr());
  symbols.insert(global, module.getBody()->begin());
  return global;
}

void Teams::declareTables(Team &team, int64_t sets, int64_t most, ArrayRef<int32_t> setOf,
                          ArrayRef<int32_t> placeOf, ArrayRef<int32_t> sizes,
                          ArrayRef<int32_t> members) {
  team.members = table("members", team, {sets, most}, members);
  team.sizes = table("sizes", team, {sets}, sizes);
  team.places = table("places", team, {team.worldSize}, placeOf);
  team.sets = table("sets", team, {team.worldSize}, setOf);
}

namespace {
/// The sets of a group, and where each rank of the world is.
struct Division {
  SmallVector<SmallVector<int64_t>> sets;
  SmallVector<int32_t> setOf, placeOf;
};
} // namespace

/// Nothing if the sets are known only when the program runs.
static std::optional<Division> divide(collective::GroupOp group, int64_t worldSize) {
  Division division;
  division.setOf.assign(worldSize, -1);
  division.placeOf.assign(worldSize, -1);
  for (int64_t rank = 0; rank < worldSize; ++rank) {
    std::optional<SmallVector<int64_t>> set = group.getSetOf(rank);
    if (!set)
      return std::nullopt;
    if (set->empty() || division.setOf[rank] >= 0)
      continue;
    for (auto [place, member] : llvm::enumerate(*set)) {
      division.setOf[member] = division.sets.size();
      division.placeOf[member] = place;
    }
    division.sets.push_back(std::move(*set));
  }
  return division;
}

LogicalResult Teams::declare(Operation *user, collective::GroupOp group, Team &team) {
  std::optional<int64_t> world = group.getWorldSize();
  if (!world)
    return mlir::emitError(user->getLoc())
           << "the number of ranks is not known: give the world a size, for example with "
              "specialize-world";
  team.worldSize = *world;
  if (!group.getMembers())
    return success();
  team.hasEveryRank = group.hasEveryRank();
  if (isa<collective::AtRunTimeAttr>(*group.getMembers())) {
    team.isMadeAtRunTime = true;
    SmallVector<int32_t> nobody(*world, -1);
    declareTables(team, 1, *world, nobody, nobody, {0}, nobody);
    return success();
  }
  std::optional<Division> division = divide(group, *world);
  if (!division)
    return mlir::emitError(user->getLoc())
           << "the ranks of @" << group.getSymName() << " are known only when the program runs: "
           << "MPI's dialect cannot ask which ranks share a node; list them "
              "(#collective.blocks, #collective.strided or #collective.ranks), or give "
              "convert-collective-to-mpi their number as ranks-per-node";
  int64_t count = division->sets.size(), most = 0;
  SmallVector<int32_t> sizes;
  for (ArrayRef<int64_t> set : division->sets) {
    sizes.push_back(set.size());
    most = std::max<int64_t>(most, set.size());
  }
  SmallVector<int32_t> members(count * most, -1);
  for (auto [number, set] : llvm::enumerate(division->sets))
    llvm::copy(set, members.begin() + number * most);
  declareTables(team, count, most, division->setOf, division->placeOf, sizes, members);
  return success();
}

FailureOr<const Team *> Teams::get(Operation *user, FlatSymbolRefAttr group) {
  std::unique_ptr<Team> &team = teams[group.getAttr()];
  if (team)
    return team.get();
  auto made = std::make_unique<Team>();
  made->name = group.getValue().str();
  made->number = numbers.lookup(group.getAttr());
  if (failed(declare(user, collective::lookupGroup(user, group), *made)))
    return failure();
  team = std::move(made);
  return team.get();
}

//===----------------------------------------------------------------------===//
// In a program
//===----------------------------------------------------------------------===//

TeamRank::TeamRank(ImplicitLocOpBuilder &builder, const Team &team) : builder(builder), team(team) {
  communicator = mpi::CommWorldOp::create(builder, mpi::CommType::get(builder.getContext()));
  Value rank =
      mpi::CommRankOp::create(builder, Type(), builder.getI32Type(), communicator).getRank();
  worldRank = arith::IndexCastOp::create(builder, builder.getIndexType(), rank);
}

Value TeamRank::constant(int64_t value) { return arith::ConstantIndexOp::create(builder, value); }

Value TeamRank::load(memref::GlobalOp table, ValueRange indices) {
  Value memory = memref::GetGlobalOp::create(builder, table.getType(), table.getSymName());
  Value number = memref::LoadOp::create(builder, memory, indices);
  return arith::IndexCastOp::create(builder, builder.getIndexType(), number);
}

void TeamRank::store(Value value, memref::GlobalOp table, ValueRange indices) {
  Value memory = memref::GetGlobalOp::create(builder, table.getType(), table.getSymName());
  Value number = arith::IndexCastOp::create(builder, builder.getI32Type(), value);
  memref::StoreOp::create(builder, number, memory, indices);
}

Value TeamRank::choose(Value condition, function_ref<Value()> then, int64_t otherwise) {
  auto branch = scf::IfOp::create(builder, builder.getIndexType(), condition, /*else=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, then());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, constant(otherwise));
  return branch.getResult(0);
}

Value TeamRank::getSet() { return load(team.sets, worldRank); }

Value TeamRank::isMember() {
  if (team.isWorld())
    return arith::ConstantIntOp::create(builder, 1, 1);
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, getSet(), constant(0));
}

Value TeamRank::getPlace() { return team.isWorld() ? worldRank : load(team.places, worldRank); }

Value TeamRank::getSize() {
  if (team.isWorld())
    return constant(team.worldSize);
  if (team.hasEveryRank)
    return load(team.sizes, getSet());
  return choose(
      isMember(), [&] { return load(team.sizes, getSet()); }, 0);
}

/// The world rank, as an index, at `place`.
Value TeamRank::getMember(Value place) {
  return team.isWorld() ? place : load(team.members, {getSet(), place});
}

Value TeamRank::getRankAt(Value place) {
  return arith::IndexCastOp::create(builder, builder.getI32Type(), getMember(place));
}

/// The place, in this rank's set, of a rank of the world; -1 if it is not in that set.
Value TeamRank::getPlaceOf(Value rank) {
  if (team.isWorld())
    return rank;
  Value isHere =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, load(team.sets, rank), getSet());
  Value both = arith::AndIOp::create(builder, isHere, isMember());
  return arith::SelectOp::create(builder, both, load(team.places, rank), constant(-1));
}

Value TeamRank::translate(Value place, TeamRank &other) {
  using arith::CmpIPredicate;
  Value isAfter = arith::CmpIOp::create(builder, CmpIPredicate::sge, place, constant(0));
  Value isBefore = arith::CmpIOp::create(builder, CmpIPredicate::slt, place, getSize());
  return choose(
      arith::AndIOp::create(builder, isAfter, isBefore),
      [&] { return other.getPlaceOf(getMember(place)); }, -1);
}

void TeamRank::make(ValueRange worldRanks) {
  Value first = constant(0), none = constant(-1);
  auto each = scf::ForOp::create(builder, first, constant(team.worldSize), constant(1));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(each.getBody());
    store(none, team.sets, each.getInductionVar());
    store(none, team.places, each.getInductionVar());
  }
  for (auto [place, rank] : llvm::enumerate(worldRanks)) {
    Value at = constant(place);
    store(first, team.sets, rank);
    store(at, team.places, rank);
    store(rank, team.members, {first, at});
  }
  store(constant(worldRanks.size()), team.sizes, first);
}
