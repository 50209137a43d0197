# shellcheck shell=sh
#: vm-test [FILTER]     build and run the camera and display tests in a virtual machine without KVM (tests/vm/README.md);
#:                      a GoogleTest FILTER selects tests
#: vm-test --release NAME [FILTER]
#:                      the same with the files of another Debian
: "${root:?}"
case ${1:-} in --release) in_chroot vm-test "$@" ;; esac
need build vm
# The kernel is built once, with the compiler that it requires.
# shellcheck disable=SC2046  # a list of words
[ -e build/vm/kernel ] || need_packages $(tests/vm/kernel.sh packages "$(tests/vm/kernel.sh release)")
build_in build 'vm_interop_test vm_pipeline_test vm_export_test vm_command_test'
exec tests/vm/run.sh "$root/build" "$@"
