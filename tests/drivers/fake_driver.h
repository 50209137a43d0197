// A driver on top of another. It does what OpenGL ES allows a driver to do and llvmpipe never does; tests/README.md
// describes it.
#pragma once

namespace sightglass::fake_driver {

using FindFunction = void* (*)(const char* name);
// The functions of the driver below.
void use_driver(FindFunction find);
// The same for programs.
void* find_function(const char* name);

}  // namespace sightglass::fake_driver
