# Writes OUTPUT, a C++ file that defines NAME() with the text of FILES below ROOT, each under its path from there. Plans,
# profiles and messages name kernels: these go by their file names.
set(entries "")
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  file(RELATIVE_PATH name ${ROOT} ${file})
  string(REGEX REPLACE "^kernels/" "" name ${name})
  string(APPEND entries "    {\"${name}\", R\"SGSHADER(${text})SGSHADER\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"gpu_engine/shader_source.h\"

namespace sightglass {

ShaderFiles ${NAME}() {
  static constexpr EmbeddedShader kShaders[] = {
${entries}  };
  return kShaders;
}

}  // namespace sightglass
")
