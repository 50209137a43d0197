// The range of opacity that colors may choose from, by the minimum and maximum probability around a pixel. Colors only
// decide where the model is not sure of all the surroundings.
vec2 bounds(vec2 range) { return vec2(smoothstep(0.8, 1.0, range.x), smoothstep(0.0, 0.2, range.y)); }
