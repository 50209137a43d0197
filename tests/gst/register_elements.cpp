#include "register_elements.h"

#include "elements.h"
#include "figure/glfiguresrc.h"

namespace sightglass::test {

bool register_elements() {
  return sightglass::register_elements(nullptr) && GST_ELEMENT_REGISTER(glfiguresrc, nullptr) != FALSE;
}

}  // namespace sightglass::test
