# Writes OUTPUT, a C++ file that defines page_file() with the text of FILES.
set(entries "")
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  get_filename_component(name ${file} NAME)
  string(APPEND entries "  if (name == \"${name}\") return R\"SGPAGE(${text})SGPAGE\";\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"serve/routes.h\"

namespace sightglass::serve {

std::string_view page_file(std::string_view name) {
${entries}  return {};
}

}  // namespace sightglass::serve
")
