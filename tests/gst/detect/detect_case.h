// Outputs of detectors in buffers of the GL context of the test.
#pragma once

#include <cmath>
#include <vector>

#include "harness/gl_test.h"
#include "sightglass/gl_objects.h"
#include "sightglass/session.h"

namespace sightglass::test {

// Scores of the boxes of a head: few above a threshold, most of them, equal ones, none, or with NaN.
enum class Scores { kSparse, kDense, kTied, kNone, kDamaged };

// `uniform` draws from a range. Of sparse scores, `low` is the share of those below 0.2.
template <typename Uniform>
float random_score(Scores scores, float low, const Uniform& uniform) {
  switch (scores) {
    case Scores::kSparse:
      return uniform(0, 1) < low ? uniform(0, 0.2F) : uniform(0.3F, 1);
    case Scores::kDense:
      return uniform(0.55F, 1);
    case Scores::kTied:
      return std::round(uniform(0, 4)) / 4;
    case Scores::kNone:
      return 0.1F;
    case Scores::kDamaged:
      return uniform(0, 1) < 0.3F ? std::nanf("") : uniform(0, 1);
  }
  return 0;
}

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
