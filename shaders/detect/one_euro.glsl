// The One-Euro filter (Casiez, Roussel, Vogel: 1-Euro Filter, 2012): a low-pass filter whose cutoff rises with speed,
// so that points at rest do not jitter and moving points do not lag.
struct Filtered {
  vec4 before, value, speed;  // before: the previous unfiltered value
};

// The weight of a new value in a first-order low-pass filter.
vec4 low_pass_weight(vec4 cut_off, float seconds) {
  vec4 r = 6.28318530718 * cut_off * seconds;
  return r / (r + 1.0);
}

Filtered begin_filter(vec4 now) { return Filtered(now, now, vec4(0.0)); }

// `by_size` scales distances for the speed. Cutoffs are in Hz: `least`, to which `beta` times the speed is added, and
// `of_speed` for the speed itself. `seconds` have passed since the previous value; without one, or if `least` is 0,
// nothing is filtered.
Filtered filtered(Filtered last, vec4 now, float by_size, float least, float beta, float of_speed, float seconds) {
  // False if anything is infinite or NaN, so that one bad frame of a model leaves no trace.
  bool goes_on = dot(abs(last.before) + abs(last.value) + abs(last.speed), vec4(1.0)) < 1e30;
  if (goes_on && seconds > 0.0 && least > 0.0) {
    vec4 speed = (now - last.before) * by_size / seconds;
    speed = mix(last.speed, speed, low_pass_weight(vec4(of_speed), seconds));
    return Filtered(now, mix(last.value, now, low_pass_weight(vec4(least) + beta * abs(speed), seconds)), speed);
  }
  return begin_filter(now);
}
