# Completion for fish: `ez` says what the words of the line can go on with, and which files are meant.
function __ez_lines
    set -l words (commandline -opc)
    set -l ez (string replace -r '^~/' "$HOME/" -- $words[1])
    $ez __complete $words[2..] (commandline -ct) 2>/dev/null
end
function __ez_words
    set -l lines (__ez_lines)
    # Options with their value are one word.
    set -l option (string match -r -- '^--[^=]*=' (commandline -ct))
    for line in $lines[2..]
        echo "$option$line"
    end
end
function __ez_wants
    set -l lines (__ez_lines)
    contains -- "$lines[1]" $argv
end
complete -c ez -f -a '(__ez_words)'
complete -c ez -n '__ez_wants files programs' -F
complete -c ez -n '__ez_wants folders' -a '(__fish_complete_directories (commandline -ct))'
