// The benchmark's ranks on an MPI library, started by its own launcher; one source for all of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/benchmarks/collectives/Measure.h"

#include <cstdio>
#include <memory>
#include <mpi.h>
#include <vector>

using namespace tutti::benchmarks;

namespace {

class MpiContestant : public Contestant {
public:
  float *allocate(int64_t count, bool) override {
    kept.push_back(std::make_unique<float[]>(count));
    return kept.back().get();
  }
  void all_reduce(float *values, int64_t count) override {
    MPI_Allreduce(MPI_IN_PLACE, values, int(count), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  }
  void broadcast(float *values, int64_t count) override {
    MPI_Bcast(values, int(count), MPI_FLOAT, 0, MPI_COMM_WORLD);
  }
  void all_to_all(const float *from, float *to, int64_t count) override {
    MPI_Alltoall(from, int(count), MPI_FLOAT, to, int(count), MPI_FLOAT, MPI_COMM_WORLD);
  }

private:
  std::vector<std::unique_ptr<float[]>> kept;
};

} // namespace

int main(int count, char **arguments) {
  Settings settings;
  if (!settings.parse(count, arguments))
    return 2;
  MPI_Init(&count, &arguments);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int status = 1;
  Meeting *meeting = Meeting::open(settings.meeting.c_str(), rank, settings.ranks);
  if (meeting && ranks == settings.ranks) {
    MpiContestant contestant;
    status = measure(contestant, *meeting, settings);
  } else {
    std::fprintf(stderr, "error: rank %d of %d cannot meet the others\n", rank, ranks);
  }
  MPI_Finalize();
  return status;
}
