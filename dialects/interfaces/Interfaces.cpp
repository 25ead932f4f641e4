// The generated definitions of the interfaces that dialects share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/BatchStatistics.h"
#include "dialects/interfaces/ComputeCost.h"
#include "dialects/interfaces/Differentiable.h"
#include "dialects/interfaces/Draws.h"
#include "dialects/interfaces/Lookup.h"
#include "dialects/interfaces/Optimizer.h"
#include "dialects/interfaces/SampleCount.h"
#include "dialects/interfaces/TypeRefinement.h"
#include "dialects/interfaces/sharding/ShardingRule.h"

#include "dialects/interfaces/BatchStatistics.cpp.inc"
#include "dialects/interfaces/ComputeCost.cpp.inc"
#include "dialects/interfaces/Differentiable.cpp.inc"
#include "dialects/interfaces/Draws.cpp.inc"
#include "dialects/interfaces/Lookup.cpp.inc"
#include "dialects/interfaces/Optimizer.cpp.inc"
#include "dialects/interfaces/SampleCount.cpp.inc"
#include "dialects/interfaces/TypeRefinement.cpp.inc"
#include "dialects/interfaces/sharding/ShardingRule.cpp.inc"

#include "dialects/interfaces/ranks/Uniformity.h"

#include "dialects/interfaces/ranks/Uniformity.cpp.inc"
