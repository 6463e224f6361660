# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion for fish: cudagraph-tidy, and cudagraph-probe if this file has that
# name. The program supplies options, commands, and values: --help lists the
# options with their arguments, and the error for an invalid value lists the valid
# ones.

function __cudagraph_commands
    $argv[1] --help 2>/dev/null | string replace -rf '^(?:USAGE:)? +cudagraph-[a-z]+ ([a-z][a-z-]*).*' '$1'
end

# The command in the line, if any.
function __cudagraph_command
    set -l words (commandline -opc)
    test (count $words) -gt 1; and contains -- $words[2] (__cudagraph_commands $words[1]); and echo $words[2]
end

# The values of an option of this command.
function __cudagraph_values
    set -l words (commandline -opc)
    set -l said ($words[1] (__cudagraph_command) $argv[1]=@ 2>&1 </dev/null)
    string match -rg "'@'(?: for [^;]*; the values are |: )(.*)|valid kinds are ([^(]*)" -- "$said" |
        string replace -ra ',? (and|or) ' ', ' | string split -n ', ' |
        string replace -a "'" '' | string replace REGEX '' | string trim
end

function __cudagraph_checks
    cudagraph-tidy list-checks --checks='*' 2>/dev/null | string replace -rf '^ +' ''
end

# The last of comma-separated words; a '-' before a word removes it.
function __cudagraph_list
    set -l before (commandline -ct | string replace -r '^--?[a-z-]+=' '' | string match -r '^.*,' )
    for value in $argv
        echo "$before$value"
    end
end

function __cudagraph_formats
    set -l word (commandline -ct | string replace -r '^--?[a-z-]+=' '')
    if string match -q '*:*' -- $word
        set -l format (string split -m 1 : -- $word)
        for file in (complete -C "__cudagraph_none $format[2]" | string split -f 1 \t)
            echo $format[1]:$file
        end
    else
        __cudagraph_values $argv
    end
end

function __cudagraph_register -a program
    set -l option
    for line in ($program --help 2>/dev/null)
        set -l found (string match -r '^  --?([a-z-]+)[= ]?((?:<[^ ]*)?) *(.*)$' -- $line)
        if test -z "$found[1]"
            # The text of a long option is on the next line.
            set -l text (string match -rg '^ +([^ -].*)$' -- $line)
            test -n "$option" -a -n "$text"; and complete -c $program $option -d $text
            set option
            continue
        end
        set -l name $found[2]
        set -l meta $found[3]
        set option -l $name
        test (string length -- $name) -eq 1; and set option -s $name
        switch $meta
            case ''
            case '<dir>'
                set -a option -x -a '(__fish_complete_directories)'
            case '<file>'
                set -a option -r -F
            case '<globs>'
                set -a option -x -a '(__cudagraph_list (__cudagraph_checks))'
            case '<kinds>'
                set -a option -x -a "(__cudagraph_list (__cudagraph_values --$name))"
            case '<ref>'
                set -a option -x -a "(git for-each-ref --format='%(refname:short)' 2>/dev/null)"
            case '<fmt>*'
                set -a option -x -a "(__cudagraph_formats --$name)"
            case '<when>' '<severity>' '<level>'
                set -a option -x -a "(__cudagraph_values --$name)"
            case '*'
                set -a option -x
        end
        if test -n "$found[4]"
            complete -c $program $option -d $found[4]
            set option
        end
    end
    # A program to run, and its arguments.
    if string match -q '*probe' $program
        complete -c $program -x -n 'contains -- -- (commandline -opc)' \
            -a '(complete -C (commandline -cp | string replace -r ".*? -- " ""))'
    end
    complete -c $program -n __fish_is_first_token -a "(__cudagraph_commands $program)"
    complete -c $program -f -n 'test "$(__cudagraph_command)" = explain' -a '(__cudagraph_checks) (seq 900 908)'
    complete -c $program -f -n 'test "$(__cudagraph_command)" = list-checks'
end

__cudagraph_register (status basename | string replace .fish '')
