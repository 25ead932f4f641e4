/* The names that the C lines of api-map.md use, on each of four ranks.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <tutti/collectives.h>
#include <unistd.h>

/* A tensor of 8 elements a rank; a whole has one part a rank. */
static float source[8], destination[8], part_given[2], part_taken[2], whole_given[8], whole[8];
static const void *const sources[] = {source}, *const parts[] = {part_given};
static const void *const wholes_given[] = {whole_given};
static void *const destinations[] = {destination}, *const wholes[] = {whole};
static void *const parts_taken[] = {part_taken};
static const int64_t elements = 8, part = 2, pair[] = {0, 2};
static const int64_t ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const int64_t positions[] = {0, 1, 2, 3};
