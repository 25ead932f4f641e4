"""stop_late.py FOLDER launched|apart dist-run ARGUMENTS...: starts it, or two ranks of it as another launcher does, with ranks that stop computing after their first
checkpoint, asks all to stop, and prints what they said and their statuses, which must come although no step ends.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import signal
import subprocess
import sys
import time

LIMIT = 120
SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
/* A rank whose first thread looks at the clock, as it does in each step, does not come back once there is the file HANG. */
int clock_gettime(clockid_t clock, struct timespec *out) {
  static int (*next)(clockid_t, struct timespec *);
  if (!next) next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  static int is_rank = -1;
  char name[4096] = "";
  if (is_rank < 0) is_rank = readlink("/proc/self/exe", name, sizeof name - 1) > 0 && strstr(name, "dist-worker");
  while (is_rank && getpid() == gettid() && access(getenv("HANG"), F_OK) == 0) usleep(10000);
  return next(clock, out);
}
"""


def main():
    folder, name, *command = sys.argv[1:]
    shim, hang = os.path.join(folder, name + ".so"), os.path.join(folder, name + ".hang")
    with open(shim + ".c", "w", encoding="utf-8") as file:
        file.write(SHIM)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, shim + ".c", "-ldl"], check=True)
    model_dir = command[command.index("--model-dir") + 1]
    environment = dict(os.environ, LD_PRELOAD=shim, HANG=hang)
    ranks = [dict(environment, RANK=str(rank), WORLD_SIZE="2") for rank in (0, 1)] if name == "apart" else [environment]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=one) for one in ranks]
    end = time.monotonic() + LIMIT
    while not os.path.exists(os.path.join(model_dir, "checkpoints.json")):
        if time.monotonic() > end or any(process.poll() is not None for process in processes):
            for process in processes:
                process.kill()
            sys.exit("it writes no checkpoint\n" + "".join(process.communicate()[0] for process in processes))
        time.sleep(0.02)
    with open(hang, "w", encoding="utf-8"):
        pass
    time.sleep(0.5)
    for process in processes:
        process.send_signal(signal.SIGTERM)
    print("".join(process.communicate(timeout=LIMIT)[0] for process in processes))
    print("status", *[process.returncode for process in processes])


if __name__ == "__main__":
    main()
