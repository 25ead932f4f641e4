# The packages Tutti stands on, all from Debian 12 (LLVM and MLIR 22 from its LLVM packages).
set(MLIR_VERSION_WANTED 22.1)
find_package(MLIR ${MLIR_VERSION_WANTED} REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
find_package(LLD 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/lld)
find_package(Protobuf REQUIRED) # must come before ONNX, whose package file names its targets
find_package(ONNX REQUIRED)
# oneDNN's own package file asks for OpenCL, which only its GPU engines need: name the library directly.
find_library(DNNL_LIBRARY dnnl REQUIRED)
add_library(dnnl INTERFACE IMPORTED)
target_link_libraries(dnnl INTERFACE ${DNNL_LIBRARY})
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(OpenMP REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(JPEG REQUIRED IMPORTED_TARGET libjpeg)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
find_package(Threads REQUIRED)
find_package(GTest REQUIRED)

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# LLVM's linker is fast. mold is as fast, but before its release 2.4 it now and
# then writes programs that do not start (its issue 1151); Debian 12 has 1.10.
find_program(TUTTI_LLD ld.lld HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH)
if(TUTTI_LLD)
  add_link_options(-fuse-ld=lld -B${LLVM_TOOLS_BINARY_DIR})
endif()

# What the table generators read.
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
