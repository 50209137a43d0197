// Outputs of detectors in buffers of the GL context of the test.
#pragma once

#include <vector>

#include "harness/gl_test.h"
#include "sightglass/gl_objects.h"
#include "sightglass/session.h"

namespace sightglass::test {

class DetectCase : public GlTest {
 protected:
  GlBuffer upload(const std::vector<float>& numbers) {
    GLuint id = 0;
    gl().GenBuffers(1, &id);
    gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, id);
    gl().BufferData(GL_SHADER_STORAGE_BUFFER, static_cast<GLsizeiptr>(numbers.size() * sizeof(float)), numbers.data(),
                    GL_STATIC_DRAW);
    gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
    return {gl(), id};
  }
  static BufferRange whole(const GlBuffer& buffer, const std::vector<float>& numbers) {
    return {buffer.id(), 0, static_cast<GLsizeiptr>(numbers.size() * sizeof(float))};
  }
};

}  // namespace sightglass::test
