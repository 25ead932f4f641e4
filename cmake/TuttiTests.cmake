# How a room declares its GoogleTest program.

# Runs a GoogleTest program as tests of ctest: NAME, or NAME/1 to NAME/SHARDS, which share its tests. A process for each of the
# tests would take as long to start as to run; with sanitizers each has one, because ThreadSanitizer loses signals of children
# of a process that had threads. ENVIRONMENT is a variable of all of them.
function(tutti_add_gtests target name)
  cmake_parse_arguments(ARG "" "SHARDS" "ENVIRONMENT" ${ARGN})
  if(TUTTI_SANITIZER)
    include(GoogleTest)
    gtest_discover_tests(${target} TEST_PREFIX ${name}/ DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600 ENVIRONMENT "${ARG_ENVIRONMENT}")
    return()
  endif()
  if(NOT ARG_SHARDS)
    add_test(NAME ${name} COMMAND ${target} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES TIMEOUT 600 ENVIRONMENT "${ARG_ENVIRONMENT}")
    return()
  endif()
  foreach(shard RANGE 1 ${ARG_SHARDS})
    math(EXPR index "${shard} - 1")
    add_test(NAME ${name}/${shard} COMMAND ${target} --gtest_brief=1)
    set_tests_properties(${name}/${shard} PROPERTIES TIMEOUT 600
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${index};${ARG_ENVIRONMENT}")
  endforeach()
endfunction()

# Tests of the runtime are compiled for a short build: the code whose speed matters is in its libraries. Most of what a source
# includes is GoogleMock. With sanitizers each source is compiled by itself, which checks its includes. ccache needs the flag.
function(tutti_test_code target)
  if(TUTTI_UNITY_BUILD AND NOT TUTTI_SANITIZER)
    target_precompile_headers(${target} PRIVATE <gmock/gmock.h> <fstream> <functional> <thread>)
    target_compile_options(${target} PRIVATE -fpch-preprocess -Wno-subobject-linkage $<$<CONFIG:Release>:-O1>)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# A GoogleTest program of the compiler side, NAME-tests, and the tests of ctest that run it.
function(tutti_compiler_tests name)
  cmake_parse_arguments(ARG "" "SHARDS" "SOURCES;LINKS" ${ARGN})
  find_library(GMOCK_LIBRARY gmock REQUIRED)
  add_executable(${name}-tests ${ARG_SOURCES})
  tutti_own_code(${name}-tests)
  target_link_libraries(${name}-tests PRIVATE ${ARG_LINKS} GTest::gtest GTest::gtest_main ${GMOCK_LIBRARY})
  if(TUTTI_UNITY_BUILD) # as the libraries that they test
    set_target_properties(${name}-tests PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    # A fixture in a namespace without a name is in an included file then.
    target_compile_options(${name}-tests PRIVATE -Wno-subobject-linkage)
  endif()
  tutti_add_gtests(${name}-tests ${name} SHARDS ${ARG_SHARDS})
endfunction()
