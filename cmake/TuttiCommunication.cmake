# Communication libraries that backends are made for, if they are here: tutti::openmpi, tutti::mpich, tutti::gloo.
# What is absent makes no plug-in, and no error: dist-run says so when somebody asks for it.

# An MPI library by its pkg-config file. Not through FindMPI: it knows one library at a time.
function(tutti_find_mpi name module)
  pkg_check_modules(TUTTI_${name} QUIET IMPORTED_TARGET ${module})
  if(TUTTI_${name}_FOUND)
    add_library(tutti::${name} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(tutti::${name} INTERFACE PkgConfig::TUTTI_${name})
    message(STATUS "Backend ${name}: ${module} ${TUTTI_${name}_VERSION}")
  else()
    message(STATUS "Backend ${name}: not built, because pkg-config does not know ${module}")
  endif()
endfunction()

tutti_find_mpi(openmpi ompi-c)
tutti_find_mpi(mpich mpich)

find_package(Gloo QUIET)
if(Gloo_FOUND)
  add_library(tutti::gloo INTERFACE IMPORTED GLOBAL)
  target_link_libraries(tutti::gloo INTERFACE gloo)
  message(STATUS "Backend gloo: Gloo ${GLOO_VERSION}")
else()
  message(STATUS "Backend gloo: not built, because CMake does not find Gloo")
endif()

# How launchers let ranks of Gloo meet; the library is loaded when somebody needs it, so the header is enough.
pkg_check_modules(TUTTI_PMIX QUIET pmix)
