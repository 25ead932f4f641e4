# Copies the compiler's public headers to TUTTI_HEADERS, from TUTTI_SOURCE and (generated ones) TUTTI_BUILD. Here a
# header says "passes/Pipelines.h"; where it is installed that may be anybody's, so it says "tutti/passes/Pipelines.h".
set(rooms "(dialects|lib|passes)/")

function(tutti_install_header root file)
  file(READ "${root}/${file}" content)
  string(REGEX REPLACE "(#?include \")${rooms}" "\\1tutti/\\2/" content "${content}")
  set(target "${TUTTI_HEADERS}/${file}")
  set(present "")
  if(EXISTS "${target}")
    file(READ "${target}" present)
  endif()
  if(NOT present STREQUAL content)
    file(WRITE "${target}" "${content}")
  endif()
endfunction()

# What passes keep to themselves stays at home.
file(GLOB_RECURSE dialect_headers RELATIVE "${TUTTI_SOURCE}" "${TUTTI_SOURCE}/dialects/*.h" "${TUTTI_SOURCE}/dialects/*.td")
file(GLOB other_headers RELATIVE "${TUTTI_SOURCE}"
  "${TUTTI_SOURCE}/lib/program/*.h" "${TUTTI_SOURCE}/lib/program/*/*.h" "${TUTTI_SOURCE}/lib/analysis/*.h" "${TUTTI_SOURCE}/lib/cost/*.h"
  "${TUTTI_SOURCE}/lib/options/*.h" "${TUTTI_SOURCE}/lib/diagnostics/Refusal.h" "${TUTTI_SOURCE}/passes/*.h" "${TUTTI_SOURCE}/passes/*/Passes.h"
  "${TUTTI_SOURCE}/passes/*/Pipelines.h" "${TUTTI_SOURCE}/passes/registration/Register.h" "${TUTTI_SOURCE}/passes/gradient/recipe/Recipe.h")
foreach(file IN LISTS dialect_headers other_headers)
  tutti_install_header("${TUTTI_SOURCE}" "${file}")
endforeach()

file(GLOB_RECURSE generated RELATIVE "${TUTTI_BUILD}" "${TUTTI_BUILD}/dialects/*.h.inc" "${TUTTI_BUILD}/passes/*.h.inc")
foreach(file IN LISTS generated)
  tutti_install_header("${TUTTI_BUILD}" "${file}")
endforeach()
