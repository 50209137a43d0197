// The One-Euro filter (Casiez, Roussel, Vogel: 1-Euro Filter, 2012): a low pass whose cut-off rises with speed, so that
// what rests does not tremble and what moves does not lag.
struct Filtered {
  vec4 before, value, speed;  // before: as it came
};

// The weight of a new number in a low pass of first order.
vec4 low_pass_weight(vec4 cut_off, float seconds) {
  vec4 r = 6.28318530718 * cut_off * seconds;
  return r / (r + 1.0);
}

Filtered begin_filter(vec4 now) { return Filtered(now, now, vec4(0.0)); }

// `by_size` makes distances of speed's; cut-offs are in Hz: `least`, by which `beta` times speed is added, and that of
// speed itself. `seconds` have passed since the number before; without any, or with `least` 0, nothing is filtered.
Filtered filtered(Filtered last, vec4 now, float by_size, float least, float beta, float of_speed, float seconds) {
  // False where anything is infinite or no number: of a model's one bad frame nothing stays.
  bool goes_on = dot(abs(last.before) + abs(last.value) + abs(last.speed), vec4(1.0)) < 1e30;
  if (goes_on && seconds > 0.0 && least > 0.0) {
    vec4 speed = (now - last.before) * by_size / seconds;
    speed = mix(last.speed, speed, low_pass_weight(vec4(of_speed), seconds));
    return Filtered(now, mix(last.value, now, low_pass_weight(vec4(least) + beta * abs(speed), seconds)), speed);
  }
  return begin_filter(now);
}
