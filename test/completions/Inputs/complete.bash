# usage: bash complete.bash COMPLETIONS LINE...
# Prints the completions that bash offers at the end of each LINE, and ----.
. /usr/share/bash-completion/bash_completion
. "$1"
compopt() { :; } # there is no readline to inform
COMP_TYPE=9
COMP_KEY=9
for COMP_LINE in "${@:2}"; do
  COMP_POINT=${#COMP_LINE}
  # As in readline, '=' and ':' are separate words.
  read -ra COMP_WORDS <<<"$(sed -E 's/[=:]+/ & /g' <<<"$COMP_LINE")"
  [[ $COMP_LINE == *[[:space:]] ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  _cudagraph "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
  printf '%s\n' "${COMPREPLY[@]}" ----
done
