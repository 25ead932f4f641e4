# How a room declares its library: own warnings, own sanitizer, and which side of the door it is on.

function(tutti_own_code target)
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR};${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR}>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter
    $<$<BOOL:${TUTTI_WARNINGS_ARE_ERRORS}>:-Werror>)
  if(TUTTI_SANITIZER)
    # What is undefined ends the test. Not vptr: it asks for type information that LLVM's libraries do not all export.
    target_compile_options(${target} PRIVATE -fsanitize=${TUTTI_SANITIZER} -fno-sanitize-recover=all
                           -fno-omit-frame-pointer $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=vptr>)
    # Among the checks GCC loses the order of things; builds without them have the warning.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    target_link_options(${target} PUBLIC -fsanitize=${TUTTI_SANITIZER})
  endif()
endfunction()

# A library of the compiler side: LLVM rules (no exceptions), MLIR in reach.
function(tutti_compiler_library target)
  cmake_parse_arguments(ARG "EXCEPTIONS" "" "SOURCES;DEPENDS;LINKS" ${ARGN})
  add_library(${target} STATIC ${ARG_SOURCES})
  tutti_own_code(${target})
  # Whoever finds the installed library brings an MLIR of his own, see TuttiConfig.cmake.in.
  target_include_directories(${target} SYSTEM PUBLIC "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS};${LLVM_INCLUDE_DIRS}>")
  target_compile_features(${target} PUBLIC cxx_std_17)
  target_compile_definitions(${target} PUBLIC ${LLVM_DEFINITIONS_LIST})
  # Nine tenths of the time of a source here go into MLIR's headers: read them once for several sources.
  if(TUTTI_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
  if(TUTTI_PRECOMPILED_HEADERS)
    # Sources still include what they need: builds without these headers check it. ccache needs the flag.
    target_precompile_headers(${target} PRIVATE <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Func/IR/FuncOps.h>
      <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/Tensor/IR/Tensor.h> <mlir/IR/BuiltinOps.h> <mlir/IR/PatternMatch.h>
      <mlir/Pass/Pass.h> <mlir/Transforms/GreedyPatternRewriteDriver.h> <llvm/ADT/MapVector.h> <llvm/ADT/SetVector.h>
      <llvm/ADT/TypeSwitch.h> <llvm/Support/FormatVariadic.h>)
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>) # a fifth less to compile than at -O3, as fast
  if(NOT ARG_EXCEPTIONS)
    target_compile_options(${target} PRIVATE -fno-exceptions)
  endif()
  target_link_libraries(${target} PUBLIC ${ARG_LINKS} MLIR LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${target} ${ARG_DEPENDS})
  endif()
endfunction()

# Generated declarations and definitions of one dialect from dialects/NAME/*.td.
function(tutti_dialect_tablegen name td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  string(REGEX REPLACE "[.]td$" "" stem ${td}) # with its folder, where it lies in one
  get_filename_component(folder ${td} DIRECTORY)
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/${folder}")
  foreach(kind ${ARGN})
    if(kind STREQUAL "ops")
      mlir_tablegen(${stem}.h.inc -gen-op-decls)
      mlir_tablegen(${stem}.cpp.inc -gen-op-defs)
    elseif(kind STREQUAL "dialect")
      mlir_tablegen(${stem}Dialect.h.inc -gen-dialect-decls -dialect=${name})
      mlir_tablegen(${stem}Dialect.cpp.inc -gen-dialect-defs -dialect=${name})
    elseif(kind STREQUAL "attributes")
      mlir_tablegen(${stem}Attributes.h.inc -gen-attrdef-decls -attrdefs-dialect=${name})
      mlir_tablegen(${stem}Attributes.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${name})
    elseif(kind STREQUAL "types")
      mlir_tablegen(${stem}Types.h.inc -gen-typedef-decls -typedefs-dialect=${name})
      mlir_tablegen(${stem}Types.cpp.inc -gen-typedef-defs -typedefs-dialect=${name})
    elseif(kind STREQUAL "attribute-interfaces")
      mlir_tablegen(${stem}.h.inc -gen-attr-interface-decls)
      mlir_tablegen(${stem}.cpp.inc -gen-attr-interface-defs)
    elseif(kind STREQUAL "enums")
      mlir_tablegen(${stem}Enums.h.inc -gen-enum-decls)
      mlir_tablegen(${stem}Enums.cpp.inc -gen-enum-defs)
    elseif(kind STREQUAL "interfaces")
      mlir_tablegen(${stem}.h.inc -gen-op-interface-decls)
      mlir_tablegen(${stem}.cpp.inc -gen-op-interface-defs)
    elseif(kind STREQUAL "passes")
      mlir_tablegen(${stem}.h.inc -gen-pass-decls -name=${name})
    endif()
  endforeach()
  set(TABLEGEN_OUTPUT ${TABLEGEN_OUTPUT} PARENT_SCOPE)
endfunction()
