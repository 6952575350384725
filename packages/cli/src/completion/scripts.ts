/** The shells with completion. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** The hidden command with which the scripts call the program, so that candidates are those of the installed version. */
export const COMPLETE_COMMAND = '__complete';

/** The program's output if a file is expected. */
export const FILES_MARK = ':files';

/** The script that a shell sources. */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: String.raw`# bash completion of fairlead; source it: eval "$(fairlead completion bash)"
_fairlead() {
  local line current="${'$'}{COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = '${FILES_MARK}' ]; then
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
    else
      COMPREPLY+=("${'$'}{line%%$'\t'*}")
    fi
  done < <("${'$'}{COMP_WORDS[0]}" ${COMPLETE_COMMAND} -- "${'$'}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _fairlead fairlead
`,
  zsh: String.raw`#compdef fairlead
# zsh completion of fairlead; source it: eval "$(fairlead completion zsh)"
_fairlead() {
  local line
  local -a found
  for line in "${'$'}{(@f)$("${'$'}{words[1]}" ${COMPLETE_COMMAND} -- "${'$'}{(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ "$line" == '${FILES_MARK}' ]]; then
      _files
      return
    fi
    found+=("${'$'}{${'$'}{line%%$'\t'*}//:/\\:}:${'$'}{line#*$'\t'}")
  done
  _describe fairlead found
}
if [[ "${'$'}{funcstack[1]}" == _fairlead ]]; then _fairlead "$@"; else compdef _fairlead fairlead; fi
`,
  fish: String.raw`# fish completion of fairlead; source it: fairlead completion fish | source
function __fairlead_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  for line in (fairlead ${COMPLETE_COMMAND} -- $words[2..-1] "$current" 2>/dev/null)
    if test "$line" = '${FILES_MARK}'
      __fish_complete_path "$current"
    else
      echo $line
    end
  end
end
complete -c fairlead -f -a '(__fairlead_complete)'
`,
};
