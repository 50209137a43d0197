// Where a work group stands, and an invocation in it. Rows of groups that are longer than a device allows are folded: what
// is beyond the first row lies in the next along y, and the last row may be longer than needed. Not for shaders whose
// groups have more than one row of invocations.
#define GROUP_X int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x)
#define INVOCATION_X (GROUP_X * int(gl_WorkGroupSize.x) + int(gl_LocalInvocationID.x))
