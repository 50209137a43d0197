// The smallest and the largest number that the invocations of a work group have seen.
shared vec2 group_ranges[kKernelInvocations];

// `range`: x smallest, y largest. The result is that of the group in its first invocation.
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
