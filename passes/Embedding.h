// What a compiler that embeds Tutti calls: registration, roles, pipelines, and the passes of all
// stages but those to LLVM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_EMBEDDING_H
#define TUTTI_PASSES_EMBEDDING_H

#include "lib/program/Roles.h"
#include "passes/Pipelines.h"
#include "passes/communication/Passes.h"
#include "passes/distribution/Passes.h"
#include "passes/gradient/Passes.h"
#include "passes/gradient/Pipelines.h"
#include "passes/planning/Passes.h"
#include "passes/registration/Register.h"
#include "passes/specialize/Passes.h"

#include "mlir/Pass/PassManager.h"

#endif // TUTTI_PASSES_EMBEDDING_H
