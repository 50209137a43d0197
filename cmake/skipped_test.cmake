# A test that cannot run in this build. It reports this as GoogleTest does, so `./dev test` lists it with its reason.
function(add_skipped_test name reason)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "${name}: Skipped\n${reason}\n[  SKIPPED ] ${name} (0 ms)")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED")
endfunction()
