# usage: bash complete.bash COMPLETIONS LINE...
# Prints what bash would offer at the end of each LINE, and ----.
. /usr/share/bash-completion/bash_completion
. "$1"
compopt() { :; } # there is no readline to be told
COMP_TYPE=9
COMP_KEY=9
for COMP_LINE in "${@:2}"; do
  COMP_POINT=${#COMP_LINE}
  # As readline does it: '=' and ':' are words of their own.
  read -ra COMP_WORDS <<<"$(sed -E 's/[=:]+/ & /g' <<<"$COMP_LINE")"
  [[ $COMP_LINE == *[[:space:]] ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  _cudagraph "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
  printf '%s\n' "${COMPREPLY[@]}" ----
done
