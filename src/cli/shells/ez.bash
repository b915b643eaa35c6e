# Completion for bash: `ez` says what the words of the line can go on with, and which files are meant.
_ez() {
    local typed=${COMP_WORDS[COMP_CWORD]} ez=${COMP_WORDS[0]} kind= line
    local -a found=()
    case $ez in
        '~/'*) ez=$HOME/${ez#'~/'} ;;
    esac
    {
        IFS= read -r kind
        while IFS= read -r line; do found+=("${line%%$'\t'*}"); done
    } < <("$ez" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    case $kind in
        nothing) compopt +o default +o bashdefault 2>/dev/null ;;
        folders) compopt +o default +o bashdefault -o dirnames 2>/dev/null ;;
        programs)
            # Names of commands and of files; what has a folder or quotes in it is no command.
            if ((${#found[@]})) && [[ $typed =~ ^[[:alnum:]_.-]*$ ]]; then
                while IFS= read -r line; do found+=("$line"); done < <(
                    compgen -f -X '!*.ez' -- "$typed" | while IFS= read -r line; do printf '%q\n' "$line"; done
                    compgen -d -- "$typed" | while IFS= read -r line; do printf '%q/\n' "$line"; done
                )
            fi
            ;;
    esac
    COMPREPLY=("${found[@]}")
    if [[ ${#found[@]} = 1 && ${found[0]} = */ ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o bashdefault -o default -F _ez ez
