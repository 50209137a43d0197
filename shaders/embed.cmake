# Writes OUTPUT, a C++ file that defines embedded_shaders() with the text of FILES (relative to ROOT). Plans, profiles and
# messages name kernels: these go by their file names.
set(entries "")
foreach(file IN LISTS FILES)
  file(READ ${ROOT}/${file} text)
  string(REGEX REPLACE "^kernels/" "" name ${file})
  string(APPEND entries "    {\"${name}\", R\"SGSHADER(${text})SGSHADER\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"gpu_engine/shader_source.h\"

namespace sightglass {

std::span<const EmbeddedShader> embedded_shaders() {
  static constexpr EmbeddedShader kShaders[] = {
${entries}  };
  return kShaders;
}

}  // namespace sightglass
")
