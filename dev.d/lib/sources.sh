# shellcheck shell=sh
# Lists of source files.

cpp_files() { find gpu_engine capi introspection interop io models gst_plugin obs_plugin tools pipelines tests bench examples -name '*.h' -o -name '*.cpp'; }
scripts() { printf '%s\n' dev .ci/run && find dev.d packaging pipelines models bench tests docs -name '*.sh'; }
