// Minimum and maximum over the invocations of a work group.
shared vec2 group_ranges[kKernelInvocations];

// `range`: x minimum, y maximum. The first invocation gets the result of the group.
vec2 combine_ranges(int lane, vec2 range) {
  group_ranges[lane] = range;
  for (int width = kKernelInvocations / 2; width > 0; width >>= 1) {
    barrier();
    if (lane < width) {
      vec2 other = group_ranges[lane + width];
      group_ranges[lane] = vec2(min(group_ranges[lane].x, other.x), max(group_ranges[lane].y, other.y));
    }
  }
  return group_ranges[0];
}
