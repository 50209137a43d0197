// The elements that run models, each with a small model, for tests of their common behavior.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tiny_model.h"

namespace sightglass::test {

// Returns "FACTORY model=FILE" and `properties`. These must set the name: TestPipeline tests the element named
// "segment".
inline std::string model_element(const std::string& factory, const std::string& properties = "name=segment") {
  // Its scores are the same everywhere, and yield seventeen points.
  const std::string model = factory == "glpose" ? shaped_model({32, 32, 3, 17}) : red_model();
  return factory + " model=" + model + " " + properties;
}

class EveryModelElement : public ::testing::TestWithParam<const char*> {
 protected:
  static std::string element(const std::string& properties = "name=segment") {
    return model_element(GetParam(), properties);
  }
};
inline const auto kModelElements = ::testing::Values("glsegment", "glpose", "glinfer");
inline std::string name_of_element(const ::testing::TestParamInfo<const char*>& info) { return info.param; }

}  // namespace sightglass::test
