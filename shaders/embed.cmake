# Writes OUTPUT, a C++ file that defines NAME() with the text of FILES without comments and indentation, each under its path
# below ROOT. Plans, profiles and messages use these names for kernels.
#
# A shader that includes a C++ header, `#include "meta/persons.h"`, gets the constants of that header. Headers are
# searched in INCLUDES and embedded under the name in the include line. DEPFILE lists them for the build.

# The constants of a header as defines: inline and static constexpr numbers under their names, and enumerators of enum
# classes as Enum_kName. Values are literals; numbers can also be expressions of other constants.
function(read_constants header result)
  file(READ ${header} text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  set(defines "")
  string(REGEX MATCHALL "(inline|static) constexpr [a-zA-Z0-9_]+ k[^[;{}()]*" declarations "${text}")
  foreach(declaration IN LISTS declarations)
    string(REGEX MATCHALL "k[a-zA-Z0-9]+ = [^,]+" constants "${declaration}")
    foreach(constant IN LISTS constants)
      string(REGEX MATCH "^(k[a-zA-Z0-9]+) = (.*)$" matched "${constant}")
      set(name ${CMAKE_MATCH_1})
      set(value ${CMAKE_MATCH_2})  # empty if nothing matches
      if(value MATCHES "^(-?[0-9.]+)F?$")
        string(APPEND defines "#define ${name} ${CMAKE_MATCH_1}\n")
      elseif(value MATCHES "^(k[A-Z]|[0-9])[a-zA-Z0-9 */+-]*$")
        string(APPEND defines "#define ${name} (${CMAKE_MATCH_0})\n")
      endif()
    endforeach()
  endforeach()
  string(REGEX MATCHALL "enum class [a-zA-Z0-9]+[^{]*{[^}]*" enums "${text}")
  foreach(enum IN LISTS enums)
    string(REGEX MATCH "enum class ([a-zA-Z0-9]+)" matched "${enum}")
    set(name ${CMAKE_MATCH_1})
    set(value 0)
    string(REGEX REPLACE "^[^{]*{" "" body "${enum}")
    string(REGEX MATCHALL "k[a-zA-Z0-9]+( = -?[0-9]+)?" enumerators "${body}")
    foreach(enumerator IN LISTS enumerators)
      if(enumerator MATCHES " = (-?[0-9]+)$")
        set(value ${CMAKE_MATCH_1})
      endif()
      string(REGEX MATCH "^k[a-zA-Z0-9]+" enumerator ${enumerator})
      string(APPEND defines "#define ${name}_${enumerator} ${value}\n")
      math(EXPR value "${value} + 1")
    endforeach()
  endforeach()
  set(${result} "${defines}" PARENT_SCOPE)
endfunction()

set(entries "")
set(headers "")
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  # A quarter of the text. Lines stay, so that messages of compilers have the line numbers of the file.
  string(REGEX REPLACE "[ \t]*//[^\n]*" "" text "${text}")
  string(REGEX REPLACE "\n[ \t]+" "\n" text "${text}")
  file(RELATIVE_PATH name ${ROOT} ${file})
  string(REGEX REPLACE "^kernels/" "" name ${name})
  string(APPEND entries "    {\"${name}\", R\"SGSHADER(${text})SGSHADER\"},\n")
  string(REGEX MATCHALL "#include \"[^\"]+\\.h\"" included "${text}")
  list(APPEND headers ${included})
endforeach()
list(REMOVE_DUPLICATES headers)
set(dependencies "")
foreach(header IN LISTS headers)
  string(REGEX REPLACE "#include \"(.*)\"" "\\1" name ${header})
  unset(path)
  find_file(path ${name} PATHS ${INCLUDES} NO_CACHE NO_DEFAULT_PATH)
  if(path)  # otherwise another library embeds it
    read_constants(${path} text)
    string(APPEND entries "    {\"${name}\", R\"SGSHADER(${text})SGSHADER\"},\n")
    string(REPLACE " " "\\ " path ${path})
    string(APPEND dependencies " ${path}")
  endif()
endforeach()
file(WRITE ${DEPFILE} "${OUTPUT}:${dependencies}\n")
file(WRITE ${OUTPUT} "#include \"sightglass/shader_source.h\"

namespace sightglass {

ShaderFiles ${NAME}() {
  static constexpr EmbeddedShader kShaders[] = {
${entries}  };
  return kShaders;
}

}  // namespace sightglass
")
