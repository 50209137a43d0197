// The state and the parameters of the programs that run a model on objects (gst_plugin/infer/object_regions.h).
#include "detect/detections.glsl"
#include "gl/compute.h"
#include "infer/landmarks.h"

struct ObjectSlot {  // the values of one object
  int id;    // track ID; 0: unused; -1: of an object of this frame without one
  int age;   // frames since the model ran on it; -1: it has not
  int seen;  // frames since the object was found
  int count;  // of its values
};
#define OBJECTS                         \
  int job;                              \
  int jobs_count;                       \
  int frames;                           \
  int objects_unused;                   \
  vec4 crops[kMaxObjectRuns];           \
  int job_objects[kMaxObjectRuns];      \
  int slot_of_object[kMaxDetections];   \
  ObjectSlot slots[kObjectSlots]
// `frames` counts those with the present objects; `job` is the first job of the current run, of `jobs_count`, each on the
// object of that index; -1: none yet. `crops` are the corner and the size of the part that each image of the run samples,
// in fractions of the box, along its sides. slot_of_object is -1 for objects that do not count.

layout(std140, binding = kParamsBinding) uniform Objects {
  vec4 u_frame;     // width and height in pixels; minimum side of a box in pixels; 0
  vec4 u_sample;    // scale of the sampled part; width / height of the model input; 0, 0
  ivec4 u_choice;   // objects per frame; frames between two runs on an object; images in one run;
                    // 0: the box as it is, or kSampleExtends or kSampleCrops: with the proportions of the model input
  ivec4 u_counts;   // values of each object; 1: forget all; 1: all classes count; 0
  ivec4 u_classes[kRegionClasses / 128];  // bit c: class c counts
};
