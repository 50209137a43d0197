// The elements that run models, each with a small model, for tests of what all of them have to do.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tiny_model.h"

namespace sightglass::test {

// "FACTORY model=FILE", followed by `properties`, which give it a name: TestPipeline tests what is called "segment".
inline std::string model_element(const std::string& factory, const std::string& properties = "name=segment") {
  // Its scores, which are the same everywhere, make seventeen points.
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
