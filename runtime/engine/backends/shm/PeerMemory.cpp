// Reading other processes by process_vm_readv, and ranks of this process as they are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/PeerMemory.h"

#include <cstring>
#include <fstream>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

namespace tutti::runtime::shm {
namespace {

/// 0, or why the bytes could not be read. The system may copy fewer than it was asked for.
int read_process(int32_t process, uint64_t address, char *to, int64_t bytes) {
  while (bytes > 0) {
    iovec here = {to, size_t(bytes)}, there = {reinterpret_cast<void *>(address), size_t(bytes)};
    ssize_t copied = process_vm_readv(process, &here, 1, &there, 1, 0);
    if (copied < 0)
      return errno;
    if (copied == 0)
      return EFAULT;
    address += uint64_t(copied);
    to += copied;
    bytes -= copied;
  }
  return 0;
}

constexpr uint64_t huge_page_bytes = 2 << 20;
constexpr int64_t most_loans_before_move = 3;
constexpr uint64_t golden_ratio = 0x9E3779B97F4A7C15; ///< of 2^64, spreads the bits
constexpr int move_to_huge_pages = 25; ///< MADV_COLLAPSE, which headers before Linux 6.1 lack

bool has_huge_pages() {
  static const bool has = [] {
    std::string choice;
    return std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), choice) &&
           choice.find("[never]") == std::string::npos;
  }();
  return has;
}

} // namespace

void LentMemory::lend(const void *memory, int64_t bytes) {
  uint64_t address = reinterpret_cast<uint64_t>(memory);
  uint64_t begin = (address + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
  uint64_t end = (address + uint64_t(bytes)) / huge_page_bytes * huge_page_bytes;
  if (begin >= end || !has_huge_pages())
    return;
  Loan &loan = loans[(address >> 12) * golden_ratio >> 58];
  if (loan.memory != memory || loan.bytes != bytes)
    loan = {static_cast<const char *>(memory), bytes, 0};
  if (++loan.times == most_loans_before_move) // a refusal costs time, not bits
    madvise(reinterpret_cast<void *>(begin), end - begin, move_to_huge_pages);
}

uint64_t make_proof() {
  uint64_t word = 0;
  return getrandom(&word, sizeof word, 0) == sizeof word ? word : 0;
}

PeerMemory::PeerMemory(const Segment &segment, const int32_t *ranks, int64_t count)
    : segment(segment), slots(ranks, ranks + count), processes(count) {}

bool PeerMemory::prove() {
  for (int64_t peer = 0; peer < int64_t(slots.size()); ++peer)
    if (!prove(peer))
      return false;
  return true;
}

/// Threads of one process are no exception: in another namespace a number means another process.
bool PeerMemory::prove(int64_t peer) {
  const RankSlot &slot = segment.slot(slots[peer]);
  uint64_t address = slot.proof_address.load(), expected = slot.proof.load(), seen = 0;
  if (address == 0)
    return false;
  int32_t number = slot.process.load();
  processes[peer] = {number, number == getpid()};
  int reason = read_process(number, address, reinterpret_cast<char *>(&seen), sizeof seen);
  if (reason == 0 && seen == expected && expected != 0)
    return true;
  why = text("the memory of rank ", segment.name_of(slots[peer]), " (process ", number,
             ") cannot be read: ",
             reason ? system_message(reason) : std::string("it does not hold the word agreed on"));
  return false;
}

void PeerMemory::read(int64_t peer, uint64_t place, void *to, int64_t bytes) {
  uint64_t address = place & ~private_place;
  if (failed.reason != 0)
    return;
  if (processes[peer].is_this)
    std::memcpy(to, reinterpret_cast<const void *>(address), size_t(bytes));
  else if (int reason =
               read_process(processes[peer].number, address, static_cast<char *>(to), bytes))
    failed = {peer, bytes, reason};
}

} // namespace tutti::runtime::shm
