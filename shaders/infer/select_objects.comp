// Selects the objects that the model runs on in this frame: those that it has not seen yet, then those that it saw the
// longest time ago. One work group, with an invocation per slot.
#include "infer/objects.glsl"

layout(local_size_x = kObjectSlots) in;
layout(std430, binding = 0) readonly buffer Found { DETECTIONS; };
layout(std430, binding = 1) buffer State { OBJECTS; };

shared ObjectSlot s_slots[kObjectSlots];
shared int s_slot[kObjectSlots];    // -1: does not count; kObjectSlots: none yet
shared int s_chosen[kObjectSlots];  // 1: a model runs on it

bool is_class_chosen(int c) {
  if (u_counts.z != 0) return true;
  return c >= 0 && c < kRegionClasses && ((u_classes[c >> 7][(c >> 5) & 3] >> (c & 31)) & 1) != 0;
}

bool is_chosen(int object) {
  vec2 size = (detections[object].box.zw - detections[object].box.xy) * u_frame.xy;
  bool is_box = size.x > 0.0 && size.y > 0.0 && size.x < 1e6 && size.y < 1e6;  // false for NaN
  return is_box && all(greaterThanEqual(size, vec2(u_frame.z))) && is_class_chosen(detections[object].class_id);
}

// An unused slot, or the one whose object was lost first.
int free_slot() {
  int best = -1, longest = 0;
  for (int s = 0; s < kObjectSlots; ++s) {
    if (s_slots[s].id == 0) return s;
    if (s_slots[s].seen <= longest) continue;
    longest = s_slots[s].seen;
    best = s;
  }
  return best;
}

void begin_slots(int count) {
  for (int object = 0; object < count; ++object) {
    if (s_slot[object] != kObjectSlots) continue;
    int slot = free_slot();
    s_slot[object] = slot;
    if (slot >= 0) s_slots[slot] = ObjectSlot(detections[object].id > 0 ? detections[object].id : -1, -1, 0, 0);
  }
}

void choose_jobs(int count) {
  int jobs = 0;
  // Those without an ID are all due in every Nth frame.
  bool is_nth = uint(frames) % uint(max(u_choice.y, 1)) == 0u;
  frames = (frames + 1) % 0x40000000;
  for (; jobs < min(u_choice.x, kMaxObjectRuns); ++jobs) {
    int best = -1, longest = -1;
    for (int object = 0; object < count; ++object) {
      if (s_slot[object] < 0 || s_chosen[object] != 0) continue;
      ObjectSlot slot = s_slots[s_slot[object]];
      bool is_due = slot.id < 0 ? is_nth : slot.age < 0 || slot.age >= u_choice.y;
      int waited = slot.age < 0 ? 0x7fffffff : slot.age;
      if (!is_due || waited <= longest) continue;
      longest = waited;
      best = object;
    }
    if (best < 0) break;
    s_chosen[best] = 1;
    job_objects[jobs] = best;
  }
  job = -1;
  jobs_count = jobs;
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  int count = clamp(detections_count, 0, kMaxDetections);
  ObjectSlot slot = slots[lane];
  if (u_counts.y != 0 || slot.id < 0) slot.id = 0;
  slot.seen = min(slot.seen + 1, 1000000);
  if (slot.age >= 0) slot.age = min(slot.age + 1, 1000000);
  s_slots[lane] = slot;
  barrier();
  if (lane < count) {
    s_chosen[lane] = 0;
    int found = is_chosen(lane) ? kObjectSlots : -1;
    int id = detections[lane].id;
    for (int s = 0; s < kObjectSlots && found == kObjectSlots && id > 0; ++s) {
      if (s_slots[s].id == id) found = s;
    }
    s_slot[lane] = found;
  }
  barrier();
  if (lane < count && s_slot[lane] >= 0 && s_slot[lane] < kObjectSlots) s_slots[s_slot[lane]].seen = 0;
  barrier();
  if (lane == 0) {
    if (u_counts.y != 0) frames = 0;
    begin_slots(count);
    choose_jobs(count);
  }
  memoryBarrierBuffer();
  barrier();
  slots[lane] = s_slots[lane];
  if (lane < count) slot_of_object[lane] = s_slot[lane];
}
