# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion for bash: cudagraph-tidy and cudagraph-probe. The program supplies
# options, commands, and values: --help lists the options with their arguments,
# and the error for an invalid value lists the valid ones. Needs bash-completion.

_cudagraph_help() { "${1/#\~/$HOME}" --help 2>/dev/null; }

_cudagraph_commands() {
  _cudagraph_help "$1" |
    sed -n -E 's/^(USAGE:)? +cudagraph-[a-z]+ ([a-z][a-z-]*).*/\2/p'
}

# Options that take a value end with '='.
_cudagraph_options() {
  _cudagraph_help "$1" | sed -n -E 's/^  (--[a-z-]+=?|-[a-z]).*/\1/p'
}

# The argument of the option $2: dir, file, fmt, ...
_cudagraph_takes() {
  _cudagraph_help "$1" | sed -n -E "s/^  $2[ =]<([a-z]+)>.*/\1/p" | head -n 1
}

# The values of the option $2; ${@:3} is the command.
_cudagraph_values() {
  "${1/#\~/$HOME}" "${@:3}" "$2=@" 2>&1 </dev/null |
    sed -n -E "s/.*'@'( for [^;]*; the values are |: )//p
               s/.*valid kinds are ([^(]*).*/\1/p" |
    sed -E "s/(,|,? and|,? or) /\n/g; s/'//g; s/REGEX//g"
}

_cudagraph_checks() { "${1/#\~/$HOME}" list-checks --checks='*' 2>/dev/null | sed -n 's/^  *//p'; }

# Completes the last of comma-separated words from the candidates in $1; a '-'
# before a word removes it.
_cudagraph_list() {
  local before=${cur%"${cur##*,}"} last=${cur##*,}
  [[ $last == -* ]] && before+=-
  COMPREPLY=($(compgen -P "$before" -W "$1" -- "${last#-}"))
  compopt -o nospace
}

_cudagraph() {
  local cur prev words cword split program=$1 command="" i
  _init_completion -s -n : || return

  for ((i = 1; i < cword; i++)); do
    if [[ ${words[i]} == -- ]]; then
      # After '--' come arguments of the compiler or a program to run.
      [[ $program == *probe ]] && _command_offset $((i + 1)) || _filedir
      return
    fi
  done
  if ((cword > 1)) && [[ " $(_cudagraph_commands "$program" | tr '\n' ' ') " == *" ${words[1]} "* ]]; then
    command=${words[1]}
  fi

  if [[ $prev == -* ]]; then
    case $(_cudagraph_takes "$program" "$prev") in
      '') $split && return ;;
      dir) _filedir -d; return ;;
      file) _filedir; return ;;
      globs) _cudagraph_list "$(_cudagraph_checks "$program")"; return ;;
      kinds) _cudagraph_list "$(_cudagraph_values "$program" "$prev" $command)"; return ;;
      ref) COMPREPLY=($(compgen -W "$(git for-each-ref --format='%(refname:short)' 2>/dev/null)" -- "$cur")); return ;;
      fmt)
        if [[ $cur == *:* ]]; then
          local format=${cur%%:*}
          cur=${cur#*:}
          _filedir
          # The shell treats the text before a colon as a separate word.
          [[ $COMP_WORDBREAKS == *:* ]] || COMPREPLY=("${COMPREPLY[@]/#/$format:}")
          return
        fi
        COMPREPLY=($(compgen -W "$(_cudagraph_values "$program" "$prev" $command)" -- "$cur"))
        return ;;
      when | severity | level)
        COMPREPLY=($(compgen -W "$(_cudagraph_values "$program" "$prev" $command)" -- "$cur"))
        return ;;
      *) return ;;
    esac
  fi

  if [[ $cur == -* && $command != explain ]]; then
    COMPREPLY=($(compgen -W "$(_cudagraph_options "$program")" -- "$cur"))
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
    return
  fi
  case $command in
    explain)
      COMPREPLY=($(compgen -W "$(_cudagraph_checks "$program") $(echo 90{0..8})" -- "$cur")) ;;
    list-checks) ;;
    *)
      _filedir
      ((cword > 1)) || COMPREPLY+=($(compgen -W "$(_cudagraph_commands "$program")" -- "$cur")) ;;
  esac
}

complete -F _cudagraph cudagraph-tidy cudagraph-probe
