# Debian packages: `cpack --config build/CPackConfig.cmake` writes one for each component to build/packages.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGE_NAME tutti)
set(CPACK_PACKAGE_CONTACT "The authors of Tutti <tutti@localhost.localdomain>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "turns training graphs of one device into those of many")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # what shared libraries a package needs, dpkg-shlibdeps finds out
set(CPACK_COMPONENTS_ALL "")

# tutti_package(COMPONENT NAME SUMMARY TEXT DEPENDS): the package of one component.
macro(tutti_package component name summary text depends)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  list(APPEND CPACK_COMPONENTS_ALL ${component})
endmacro()

set(same_tutti "tutti (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
tutti_package(tutti tutti "compiler and runtime for distributed training"
  "dist-opt and dist-run, and the libraries that other programs load: the runtime's C door, the compiler's C API, and
a plug-in for mlir-opt." "")
tutti_package(development libtutti-dev "pass library of Tutti for other compilers"
  "Headers, static libraries by stage, and a CMake package." "${same_tutti}, libmlir-22-dev, llvm-22-dev")
if(TARGET tutti_backend_openmpi OR TARGET tutti_backend_mpich)
  tutti_package(backend-mpi tutti-backend-mpi "ranks of Tutti over MPI" "For OpenMPI and MPICH." "${same_tutti}")
endif()
if(TARGET tutti_backend_gloo)
  tutti_package(backend-gloo tutti-backend-gloo "ranks of Tutti over TCP, by Gloo" "Needs no launcher." "${same_tutti}")
endif()
tutti_package(python python3-tutti "training of PyTorch models with Tutti"
  "Exports a model, trains it with dist-run, and loads the trained values back." "${same_tutti}, python3, python3-numpy, python3-onnx")
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS python3-torch)
include(CPack)
