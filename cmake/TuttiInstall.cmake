# What `cmake --install` puts where, and the targets that `find_package(Tutti)` gives: docs/embedding.md.
# Components, each a Debian package: tutti, development, backend-mpi, backend-gloo, python.

set(TUTTI_PLUGIN_FOLDER ${CMAKE_INSTALL_LIBDIR}/tutti) # what programs load by themselves, not the linker
set(TUTTI_CMAKE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/Tutti)

# Our static libraries that `target` stands on, itself among them.
function(tutti_closure out target)
  set(found ${${out}})
  if(TARGET ${target} AND NOT target IN_LIST found)
    get_target_property(imported ${target} IMPORTED)
    get_target_property(type ${target} TYPE)
    if(NOT imported AND type STREQUAL "STATIC_LIBRARY")
      list(APPEND found ${target})
      get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
      foreach(link IN LISTS links)
        tutti_closure(found ${link})
      endforeach()
    endif()
  endif()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

set(TUTTI_EXPORTED "")
set(TUTTI_STAGES "")

# Tutti::NAME, for programs that want one stage: the libraries of it, and what these stand on.
macro(tutti_stage name)
  add_library(tutti_stage_${name} INTERFACE)
  target_link_libraries(tutti_stage_${name} INTERFACE ${ARGN})
  set_target_properties(tutti_stage_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS tutti_stage_${name} EXPORT TuttiCompilerTargets)
  list(APPEND TUTTI_STAGES ${name})
  foreach(library ${ARGN})
    tutti_closure(TUTTI_EXPORTED ${library})
  endforeach()
endmacro()

tutti_stage(interfaces TuttiInterfaces)
tutti_stage(collective TuttiCollective)
tutti_stage(dialects TuttiCollective TuttiTrain TuttiPs TuttiKernel TuttiOnnx)
tutti_stage(analysis TuttiAnalysis)
tutti_stage(communication TuttiCommunicationPasses)
tutti_stage(planning TuttiPlanning)
tutti_stage(distribution TuttiDistribution TuttiSpecializePasses)
tutti_stage(gradient TuttiGradientPasses)
tutti_stage(compile TuttiCompile)
tutti_stage(pipelines TuttiPipelines)

foreach(library IN LISTS TUTTI_EXPORTED)
  string(REGEX REPLACE "^Tutti" "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${library} EXPORT TuttiCompilerTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endforeach()

set_target_properties(tutti PROPERTIES EXPORT_NAME runtime)
install(TARGETS tutti EXPORT TuttiRuntimeTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT tutti NAMELINK_COMPONENT development)
set_target_properties(TuttiC PROPERTIES EXPORT_NAME c)
install(TARGETS TuttiC EXPORT TuttiCTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT tutti NAMELINK_COMPONENT development)
install(TARGETS dist-opt dist-run dist-worker dist-lsp-server dist-reduce
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tutti)
install(TARGETS TuttiPlugin tutti_serving LIBRARY DESTINATION ${TUTTI_PLUGIN_FOLDER} COMPONENT tutti)
foreach(backend openmpi mpich gloo)
  if(TARGET tutti_backend_${backend})
    string(REGEX REPLACE "openmpi|mpich" "mpi" package ${backend})
    install(TARGETS tutti_backend_${backend} LIBRARY DESTINATION ${TUTTI_PLUGIN_FOLDER} COMPONENT backend-${package})
  endif()
endforeach()

foreach(side Compiler C Runtime)
  install(EXPORT Tutti${side}Targets NAMESPACE Tutti:: DESTINATION ${TUTTI_CMAKE_FOLDER} COMPONENT development)
endforeach()

# The rooms of the compiler lie below include/tutti, where their headers name each other so.
install(CODE "
  set(TUTTI_SOURCE \"${PROJECT_SOURCE_DIR}\")
  set(TUTTI_BUILD \"${PROJECT_BINARY_DIR}\")
  set(TUTTI_HEADERS \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/tutti\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/InstallHeaders.cmake\")" COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/include/tutti-c/Options.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tutti-c
        COMPONENT development)
install(DIRECTORY include/tutti include/tutti-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def")

# Where Debian's Python looks below /usr; below another prefix PYTHONPATH names the folder. pip takes tools/python itself.
set(TUTTI_PYTHON_FOLDER lib/python3/dist-packages)
configure_file(tools/python/METADATA.in ${PROJECT_BINARY_DIR}/python/METADATA @ONLY)
install(DIRECTORY tools/python/tutti DESTINATION ${TUTTI_PYTHON_FOLDER} COMPONENT python FILES_MATCHING PATTERN "*.py"
        PATTERN "__pycache__" EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/python/METADATA DESTINATION ${TUTTI_PYTHON_FOLDER}/tutti-${PROJECT_VERSION}.dist-info
        COMPONENT python)

include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/TuttiConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/TuttiConfig.cmake
  INSTALL_DESTINATION ${TUTTI_CMAKE_FOLDER} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/TuttiConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/TuttiConfig.cmake ${PROJECT_BINARY_DIR}/cmake/TuttiConfigVersion.cmake
        DESTINATION ${TUTTI_CMAKE_FOLDER} COMPONENT development)
