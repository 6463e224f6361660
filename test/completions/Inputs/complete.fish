# usage: fish --no-config complete.fish DIRECTORY LINE...
# Prints the completions that fish offers at the end of each LINE, with descriptions, and
# ----.
set fish_complete_path $argv[1]
for line in $argv[2..]
    complete -C $line
    echo ----
end
