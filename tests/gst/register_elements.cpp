#include "register_elements.h"

#include <gst/gst.h>

#include "dmabuf_export/gldmabufexport.h"
#include "figure/glfiguresrc.h"
#include "infer/glinfer.h"
#include "infer/glinferbin.h"
#include "pose/glpose.h"
#include "pose/glposebin.h"
#include "results/resultsjson.h"
#include "segment/glsegment.h"
#include "segment/glsegmentbin.h"

namespace sightglass::test {

bool register_elements() {
  return GST_ELEMENT_REGISTER(glsegment, nullptr) != FALSE && GST_ELEMENT_REGISTER(glsegmentbin, nullptr) != FALSE &&
         GST_ELEMENT_REGISTER(glfiguresrc, nullptr) != FALSE && GST_ELEMENT_REGISTER(glpose, nullptr) != FALSE &&
         GST_ELEMENT_REGISTER(glposebin, nullptr) != FALSE && GST_ELEMENT_REGISTER(glinfer, nullptr) != FALSE &&
         GST_ELEMENT_REGISTER(glinferbin, nullptr) != FALSE &&
         GST_ELEMENT_REGISTER(gldmabufexport, nullptr) != FALSE && GST_ELEMENT_REGISTER(resultsjson, nullptr) != FALSE;
}

}  // namespace sightglass::test
