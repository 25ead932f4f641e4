// Union and find of factors that are cut where sizes meet.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/validation/SizeClasses.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tutti::validation;

Factors SizeClasses::make(int64_t size) {
  if (size == 1)
    return {};
  int atom = atoms.size();
  atoms.push_back({size, atom, {}});
  return {atom};
}

Factors SizeClasses::of(Value value, int64_t dimension) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.isDynamicDim(dimension))
    return {};
  auto [place, isNew] = dimensions.try_emplace({value, dimension});
  if (isNew)
    place->second = make(type.getDimSize(dimension));
  return place->second;
}

Factors SizeClasses::of(Value value, int64_t first, int64_t end) {
  Factors all;
  for (int64_t dimension = first; dimension < end; ++dimension)
    llvm::append_range(all, of(value, dimension));
  return all;
}

int SizeClasses::find(int atom) {
  while (atoms[atom].parent != atom)
    atom = atoms[atom].parent = atoms[atoms[atom].parent].parent;
  return atom;
}

void SizeClasses::appendLeaves(int atom, Factors &leaves) {
  atom = find(atom);
  if (atoms[atom].parts.empty())
    leaves.push_back(atom);
  for (int part : llvm::SmallVector<int, 2>(atoms[atom].parts))
    appendLeaves(part, leaves);
}

Factors SizeClasses::leavesOf(const Factors &factors) {
  Factors leaves;
  for (int atom : factors)
    appendLeaves(atom, leaves);
  return leaves;
}

void SizeClasses::cut(int atom, int64_t inner) {
  Atom whole = atoms[atom];
  for (int64_t size : {whole.size / inner, inner}) {
    int part = atoms.size();
    Atom made = whole;
    made.size = size, made.parent = part, made.parts.clear();
    made.isPinned |= whole.follows || whole.isSlidOver || whole.less; // those cannot be cut
    atoms.push_back(made);
    atoms[atom].parts.push_back(part);
  }
}

void SizeClasses::join(int a, int b) {
  a = find(a), b = find(b);
  if (a == b)
    return;
  Atom &into = atoms[a];
  into.isPinned |= atoms[b].isPinned;
  into.isSlidOver |= atoms[b].isSlidOver;
  into.follows |= atoms[b].follows;
  into.isAnchored |= atoms[b].isAnchored;
  if (!into.less)
    into.whole = atoms[b].whole, into.less = atoms[b].less;
  atoms[b].parent = a;
}

void SizeClasses::unify(Factors a, Factors b, bool fromRight) {
  a = leavesOf(a), b = leavesOf(b);
  if (fromRight) {
    std::reverse(a.begin(), a.end());
    std::reverse(b.begin(), b.end());
  }
  while (!a.empty() && !b.empty()) {
    int x = find(a.front()), y = find(b.front());
    int64_t sizeX = atoms[x].size, sizeY = atoms[y].size;
    if (sizeX == sizeY) {
      join(x, y);
      a.erase(a.begin());
      b.erase(b.begin());
      a = leavesOf(a), b = leavesOf(b);
      continue;
    }
    int larger = sizeX > sizeY ? x : y;
    int64_t small = std::min(sizeX, sizeY), large = std::max(sizeX, sizeY);
    if (large % small != 0) { // 6 and 4: the two overlap
      pin(a), pin(b);
      return;
    }
    cut(larger, fromRight ? small : large / small);
    Factors &longer = larger == x ? a : b;
    auto [outer, inner] = std::pair(atoms[larger].parts[0], atoms[larger].parts[1]);
    longer.erase(longer.begin());
    longer.insert(longer.begin(), {fromRight ? inner : outer, fromRight ? outer : inner});
    // The other list may hold the factor that was cut.
    if (fromRight) {
      std::reverse(a.begin(), a.end()), std::reverse(b.begin(), b.end());
      a = leavesOf(a), b = leavesOf(b);
      std::reverse(a.begin(), a.end()), std::reverse(b.begin(), b.end());
    } else {
      a = leavesOf(a), b = leavesOf(b);
    }
  }
  if (!fromRight)
    pin(a), pin(b);
}

void SizeClasses::unify(Value a, int64_t i, Value b, int64_t j) {
  auto typeA = cast<RankedTensorType>(a.getType()), typeB = cast<RankedTensorType>(b.getType());
  if (typeA.isDynamicDim(i) || typeB.isDynamicDim(j))
    return;
  if (typeA.getDimSize(i) != typeB.getDimSize(j))
    return pin(of(a, i)), pin(of(b, j));
  unify(of(a, i), of(b, j));
}

void SizeClasses::pin(const Factors &factors) {
  for (int atom : leavesOf(factors))
    atoms[atom].isPinned = true;
}

void SizeClasses::pin(Value value) {
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    pin(of(value, 0, type.getRank()));
}

void SizeClasses::markSlidOver(const Factors &factors) {
  Factors leaves = leavesOf(factors);
  for (int atom : leaves)
    atoms[atom].isSlidOver = true;
  if (leaves.size() > 1)
    pin(leaves);
}

void SizeClasses::markFollowing(const Factors &factors) {
  Factors leaves = leavesOf(factors);
  for (int atom : leaves)
    atoms[atom].follows = true;
  if (leaves.size() > 1)
    pin(leaves);
}

void SizeClasses::markShorter(const Factors &part, const Factors &whole, int64_t less) {
  Factors leaves = leavesOf(part);
  if (leaves.size() != 1 || atoms[leaves.front()].size <= 3)
    return pin(part), pin(whole);
  Atom &atom = atoms[leaves.front()];
  if (atom.less)
    return;
  atom.whole = whole;
  atom.less = less;
}

void SizeClasses::anchor(const Factors &factors) {
  for (int atom : leavesOf(factors))
    atoms[atom].isAnchored = true;
}

void SizeClasses::close(int64_t spatial) {
  for (size_t i = 0; i < atoms.size(); ++i)
    if (Atom &atom = atoms[find(i)]; atom.less && (atom.isPinned || !atom.parts.empty()))
      pin(Factors(atom.whole));
  newSpatial = spatial;
  keepsSpatial = spatial == 0;
  for (size_t i = 0; i < atoms.size(); ++i) {
    const Atom &atom = atoms[find(i)];
    keepsSpatial |= (atom.isSlidOver || atom.follows) && (atom.isPinned || atom.isAnchored);
  }
}

int64_t SizeClasses::largestSlidOver() {
  int64_t largest = 0;
  for (size_t i = 0; i < atoms.size(); ++i) {
    const Atom &atom = atoms[find(i)];
    if (atom.isSlidOver && !atom.follows && atom.parts.empty())
      largest = std::max(largest, atom.size);
  }
  return largest;
}

int64_t SizeClasses::reduced(const Factors &factors) {
  int64_t size = 1;
  for (int number : leavesOf(factors)) {
    const Atom &atom = atoms[number];
    if (!keepsSpatial && atom.follows)
      return ShapedType::kDynamic;
    bool isSpatial = atom.isSlidOver || atom.follows;
    if (atom.isPinned || (isSpatial && keepsSpatial))
      size *= atom.size;
    else if (atom.less)
      size *= reduced(Factors(atom.whole)) - atom.less;
    else if (isSpatial)
      size *= std::min(atom.size, newSpatial);
    else // in the order of the sizes, so that parts stay within what they are parts of
      size *= atom.size <= 3 ? atom.size : atom.size < 64 ? 3 : 4;
  }
  return size;
}
