# Lists the command lines of Markdown pages: NAME, FILE:LINE and the command, separated by tabs.
# A fenced block of the language sh consists of command lines. A backslash at the end of a line continues it.
#   awk -v extract=TITLE …   prints the blocks with this title instead: files that the reader writes.
function page_name(path) {
  sub(/\.md$/, "", path)
  sub(/\/README$/, "", path)
  sub(/^docs\//, "", path)
  gsub(/\//, ".", path)
  return "docs." tolower(path)
}
FNR == 1 { count = 0; fenced = 0 }
/^```/ && fenced { fenced = 0; next }
/^```/ {
  fenced = 1
  language = $1
  sub(/^```/, "", language)
  title = match($0, /title="[^"]+"/) ? substr($0, RSTART + 7, RLENGTH - 8) : ""
  if (language == "") {
    print FILENAME ":" FNR ": a block without a language; commands are ```sh, output is ```text" >"/dev/stderr"
    failed = 1
  }
  next
}
!fenced { next }
extract != "" { if (title == extract) print; next }
language != "sh" || /^ *(#|$)/ { next }
{
  if (command == "") start = FNR
  more = sub(/ *\\$/, " ")
  line = $0
  if (command != "") sub(/^ +/, "", line)
  command = command line
  if (more) next
  printf "%s.%d\t%s:%d\t%s\n", page_name(FILENAME), ++count, FILENAME, start, command
  command = ""
}
END { exit failed }
