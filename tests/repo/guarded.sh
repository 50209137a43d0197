#!/bin/sh
# Checks that functions that C calls cannot throw.   guarded.sh SOURCE_DIR
# Every virtual method, pad function, probe, hook, and metadata function of the plugin goes through guarded<>.
set -eu
cd "$1"
sources() { find gst_plugin -name '*.cpp' ! -path '*/gl_watch/*'; }
bad=0
# shellcheck disable=SC2046  # a list of files
if grep -nE '(_class|_CLASS\(klass\)|klass|iface)->[a-z_]+ = (::)?[a-z_]+;' $(sources) | grep -v 'send_message_async' ||
  grep -nE 'gst_pad_set_[a-z_]+_function(_full)?\([^,]+, *[a-z_]+[,)]' $(sources) ||
  grep -nE 'gst_meta_register\(' -A 2 $(sources) | grep -E '[ (,](init|release|transform)[,)]' ||
  grep -nE '(^|[^_])gst_gl_context_thread_add\(' $(sources) ||
  grep -nE 'G_CALLBACK\(on_' $(sources); then
  echo "  ^ C calls these: write guarded<function> (gst_plugin/gobject/guarded.h), or on_gl_thread (gst_plugin/gl/gl_bridge.h)"
  bad=1
fi
[ "$bad" = 0 ] && echo "no function that C calls can throw"
exit "$bad"
