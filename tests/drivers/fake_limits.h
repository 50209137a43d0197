// What the fake driver reports instead of the driver below: strings, limits, and alignments of NVIDIA's driver.
#pragma once

#include <GLES3/gl32.h>

namespace sightglass::fake_driver {

// Null or false if the driver below answers.
const char* nvidia_string(GLenum name);
// `value` is that of the driver below: no limit is reported as larger.
void nvidia_limit(GLenum name, GLint* value);
// Whether an offset may be bound to that target.
bool is_aligned(GLenum target, GLintptr offset);

}  // namespace sightglass::fake_driver
