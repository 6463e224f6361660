# usage: zsh -f complete.zsh DIRECTORY LINE...
# Prints the completions that zsh offers at the end of each LINE, and ----, from the
# completions in DIRECTORY: each is typed into a zsh in a terminal of its own.
zmodload zsh/zpty
shell() {
  zpty -r z output "*$1*" || exit 1
}
zpty z zsh -f -i
zpty -w z "PS1= RPROMPT= PROMPT2=; stty columns 200 rows 1000; fpath=(${(q)1} \$fpath)"
zpty -w z "autoload -U compinit; compinit -u -d ${(q)TMPDIR:-/tmp}/zcompdump"
# The list, one a line, between two marks.
zpty -w z "null() { compstate[list]= compstate[insert]= }
compadd() {
  local -a offered__
  if [[ \$* == *-[OAD]* ]]; then builtin compadd \"\$@\"; return; fi
  builtin compadd -A offered__ \"\$@\"
  (( \$#offered__ )) && print -rl -- \$'\\002'\${^offered__}
  builtin compadd \"\$@\"
}
complete-now() { print MARK-BEGIN; _main_complete; print MARK-END; compstate[insert]= }
zle -C complete-now complete-word complete-now
bindkey '^X' complete-now"
zpty -w z "print READY-\$((1 + 1))"
shell READY-2
for line in "${@[2,-1]}"; do
  zpty -w -n z $'\x15'"$line"$'\x18'
  shell MARK-END
  print -r -- "$output" | tr -d '\r' | sed -n $'s/^.*\002//p' | sort -u
  print -- ----
done
zpty -d z
