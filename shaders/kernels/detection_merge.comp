// TFLite_Detection_PostProcess with separate suppression per class: the best boxes of all classes. The index of an
// entry is the number of entries that are better, or equal and earlier.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor entries_t;
  Tensor chosen_t;
};

void main() {
  int i = INVOCATION_X;
  int count = entries_t.place.z;
  if (i >= max(count, chosen_t.place.z)) return;
  vec4 entry = i < count ? load_a(entries_t.place.x + i) : vec4(0.0);
  int place = 0, valid = 0;
  for (int j = 0; j < count; ++j) {
    vec4 other = load_a(entries_t.place.x + j);
    if (other.w == 0.0) continue;
    ++valid;
    if (other.y > entry.y || (other.y == entry.y && j < i)) ++place;
  }
  if (entry.w != 0.0 && place < chosen_t.place.z) store(chosen_t.place.x + place, entry);
  if (i >= valid && i < chosen_t.place.z) store(chosen_t.place.x + i, vec4(0.0));
}
