// Where one bucket ends and the next begins.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/communication/BucketLimits.h"

#include "dialects/collective/Effects.h"
#include "passes/communication/BucketRule.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace tutti::communication {

/// As PyTorch's: a small first bucket, so that communication starts early.
constexpr int64_t kDefaultBytes = 25 << 20;
constexpr int64_t kDefaultFirstBytes = 1 << 20;
/// What set_split_strategy_by_idx and _by_size of HCCL take at most.
constexpr size_t kMostSegments = 8;

using Numbers = SmallVector<std::optional<int64_t>>;

//===----------------------------------------------------------------------===//
// Cutters
//===----------------------------------------------------------------------===//

/// 0 bytes are no limit. A member that fills a bucket is one of its own, and the smaller ones
/// before and after it go on filling theirs.
static Numbers cutByBytes(const BucketRun &run, int64_t limit, int64_t firstLimit) {
  Numbers numbers;
  int64_t next = 0, bytes = 0;
  std::optional<int64_t> open;
  for (const BucketMember &member : run.members) {
    bool isFirst = open.value_or(next) == 0;
    int64_t most = isFirst ? firstLimit : limit;
    bool fillsOne = limit > 0 && member.bytes >= (open ? limit : most);
    if (!fillsOne && (!open || (most > 0 && bytes + member.bytes > most))) {
      open = next++;
      bytes = 0;
    }
    if (!fillsOne)
      bytes += member.bytes;
    numbers.push_back(fillsOne ? next++ : *open);
  }
  return numbers;
}

/// Each bucket is full when it has `limit` bytes and all that stands side by side with its last
/// member, for one operation: what is gathered must be kept until it is used, and to wait for the
/// next large one gains little. So what fills a bucket alone begins the next one.
static Numbers cutLate(const BucketRun &run, int64_t limit) {
  Numbers numbers;
  int64_t bucket = 0, bytes = 0, last = 0;
  for (const BucketMember &member : run.members) {
    bool isFull = bytes > 0 && std::max(bytes, member.bytes) >= limit;
    if (limit > 0 && isFull && member.place != last + 1) {
      ++bucket;
      bytes = 0;
    }
    numbers.push_back(bucket);
    bytes += member.bytes;
    last = member.place;
  }
  return numbers;
}

static Numbers cutByCount(const BucketRun &run, int64_t count) {
  Numbers numbers;
  for (int64_t i = 0, end = run.members.size(); i < end; ++i)
    numbers.push_back(i / count);
  return numbers;
}

/// What is after the last index is one more bucket.
static FailureOr<Numbers> cutByIndices(const BucketRun &run, ArrayRef<int64_t> last,
                                       EmitError emitError) {
  int64_t members = run.members.size();
  if (last.back() >= members)
    return emitError() << "indices: " << last.back() << " is out of range: there are " << members
                       << " collectives that may be fused, 0 to " << members - 1;
  Numbers numbers;
  for (int64_t i = 0; i < members; ++i)
    numbers.push_back(llvm::lower_bound(last, i) - last.begin());
  return numbers;
}

/// A member belongs to the segment in which it begins.
static Numbers cutByPercent(const BucketRun &run, ArrayRef<double> percent) {
  Numbers numbers;
  double total = run.bytes(), begin = 0, end = percent.front();
  size_t segment = 0;
  for (const BucketMember &member : run.members) {
    while (begin * 100 >= end * total && segment + 1 < percent.size())
      end += percent[++segment];
    numbers.push_back(segment);
    begin += member.bytes;
  }
  return numbers;
}

static Numbers cutById(const BucketRun &run) {
  Numbers numbers;
  for (const BucketMember &member : run.members) {
    auto id = member.op->getAttrOfType<IntegerAttr>(kBucket);
    numbers.push_back(id ? std::optional<int64_t>(id.getInt()) : std::nullopt);
  }
  return numbers;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

static LogicalResult checkIndices(ArrayRef<int64_t> indices, EmitError emitError) {
  if (indices.size() > kMostSegments)
    return emitError() << "indices: at most " << kMostSegments << " buckets, not "
                       << indices.size();
  int64_t previous = -1;
  for (int64_t index : indices) {
    if (index <= previous)
      return emitError() << "indices: each is the last of its bucket, from 0 on and ascending, but "
                         << index << " comes after " << previous;
    previous = index;
  }
  return success();
}

static LogicalResult checkPercent(ArrayRef<double> percent, EmitError emitError) {
  if (percent.size() > kMostSegments)
    return emitError() << "percent: at most " << kMostSegments << " buckets, not "
                       << percent.size();
  for (double share : percent)
    if (!(share > 0))
      return emitError() << "percent: each share is more than 0, not "
                         << llvm::formatv("{0}", share).str();
  double sum = std::accumulate(percent.begin(), percent.end(), 0.0);
  if (std::abs(sum - 100) > 1e-6)
    return emitError() << "percent: the shares of all buckets make 100, not "
                       << llvm::formatv("{0}", sum).str();
  return success();
}

/// The options that were given and each say alone where buckets end.
static SmallVector<StringRef> namesOfLimits(const BucketRequest &request) {
  SmallVector<StringRef> names;
  if (request.mode != "fixed")
    names.push_back(request.mode == "auto" ? "mode=auto" : "mode=none");
  if (!request.by.empty())
    names.push_back("by=id");
  if (request.bytes >= 0 || request.firstBytes >= 0)
    names.push_back(request.bytes >= 0 ? "bucket-bytes" : "first-bucket-bytes");
  if (request.count != -1)
    names.push_back("count");
  if (!request.indices.empty())
    names.push_back("indices");
  if (!request.percent.empty())
    names.push_back("percent");
  return names;
}

static LogicalResult checkRequest(const BucketRequest &request, EmitError emitError) {
  SmallVector<StringRef> names = namesOfLimits(request);
  if (names.size() > 1)
    return emitError() << names[0] << " and " << names[1]
                       << " both say where buckets end: give one of them";
  if (!llvm::is_contained({"fixed", "auto", "none"}, request.mode))
    return emitError() << "mode: expected fixed, auto or none, not " << request.mode;
  if (!request.by.empty() && request.by != "id")
    return emitError() << "by: expected id, not " << request.by;
  if (request.bytes < -1 || request.firstBytes < -1)
    return emitError() << "bucket-bytes and first-bucket-bytes: expected 0 (no limit) or more";
  if (request.count != -1 && request.count < 1)
    return emitError() << "count: a bucket holds at least 1 collective, not " << request.count;
  if (failed(checkIndices(request.indices, emitError)))
    return failure();
  return request.percent.empty() ? success() : checkPercent(request.percent, emitError);
}

/// Of a bucket, and of the first one, which is never allowed more than the others.
static std::pair<int64_t, int64_t> getLimits(const BucketRequest &request) {
  int64_t limit = request.bytes >= 0 ? request.bytes : kDefaultBytes;
  int64_t first = request.firstBytes >= 0 ? request.firstBytes : kDefaultFirstBytes;
  if (limit > 0 && (first > limit || first == 0))
    first = limit;
  return {limit, first};
}

static BucketCutter makeByteCutter(const BucketRequest &request) {
  auto [limit, first] = getLimits(request);
  return
      [limit = limit, first = first](const BucketRun &run, bool, EmitError) -> FailureOr<Numbers> {
        return cutByBytes(run, limit, first);
      };
}

static FailureOr<BucketCutter> makeCutterOfReady(const BucketRequest &request,
                                                 EmitError emitError) {
  if (failed(checkRequest(request, emitError)))
    return failure();
  if (request.mode == "auto")
    return emitError() << "mode=auto needs a cost model of the cluster, which this pass has not: "
                          "run collective-choose{cluster=FILE} in its place, or give "
                          "--distribute=\"buckets=auto cluster=FILE\", with FILE as of "
                          "dist-run --calibrate FILE; or say with bucket-bytes, count, indices or "
                          "percent where buckets end";
  if (request.mode == "none")
    return BucketCutter([](const BucketRun &run, bool, EmitError) -> FailureOr<Numbers> {
      return Numbers(run.members.size(), std::nullopt);
    });
  if (request.by == "id")
    return BucketCutter(
        [](const BucketRun &run, bool, EmitError) -> FailureOr<Numbers> { return cutById(run); });
  if (request.count > 0)
    return BucketCutter(
        [count = request.count](const BucketRun &run, bool, EmitError) -> FailureOr<Numbers> {
          return cutByCount(run, count);
        });
  // These speak of the gradients; other runs are small and one bucket each.
  if (!request.indices.empty())
    return BucketCutter([indices = request.indices](const BucketRun &run, bool isMain,
                                                    EmitError emitError) -> FailureOr<Numbers> {
      return isMain ? cutByIndices(run, indices, emitError) : cutByBytes(run, 0, 0);
    });
  if (!request.percent.empty())
    return BucketCutter([percent = request.percent](const BucketRun &run, bool isMain,
                                                    EmitError) -> FailureOr<Numbers> {
      return isMain ? cutByPercent(run, percent) : cutByBytes(run, 0, 0);
    });
  return makeByteCutter(request);
}

FailureOr<BucketCutter> makeBucketCutter(const BucketRequest &request, EmitError emitError) {
  FailureOr<BucketCutter> ofReady = makeCutterOfReady(request, emitError);
  if (failed(ofReady) || request.mode == "none" || request.by == "id")
    return ofReady;
  return BucketCutter(
      [cut = std::move(*ofReady), limit = getLimits(request).second](
          const BucketRun &run, bool isMain, EmitError emitError) -> FailureOr<Numbers> {
        return run.isLate() ? FailureOr<Numbers>(cutLate(run, limit)) : cut(run, isMain, emitError);
      });
}

SmallVector<Bucket> bucketsOf(const BucketRun &run, ArrayRef<std::optional<int64_t>> numbers) {
  llvm::MapVector<int64_t, Bucket> cut;
  for (auto [member, number] : llvm::zip_equal(run.members, numbers))
    if (number)
      cut[*number].push_back(&member);
  return llvm::map_to_vector(cut, [](auto &entry) { return std::move(entry.second); });
}

Operation *getLastProducer(const Bucket &bucket) {
  if (bucket.front()->op->hasAttr(collective::kRegather))
    return bucket.front()->op->getPrevNode();
  // As the block is now: what makes an input may have become a bucket itself.
  Operation *last = nullptr;
  for (const BucketMember *member : bucket) {
    BucketOpInterface op = member->op;
    for (Operation *before : {member->fence, op.getInputs().front().getDefiningOp()}) {
      bool isInBlock = before && before->getBlock() == op->getBlock();
      if (isInBlock && (!last || last->isBeforeInBlock(before)))
        last = before;
    }
  }
  return last;
}

} // namespace tutti::communication
