// The shell side of completion: each hands the words typed so far to `svcctl __complete` and offers what comes back, or files when nothing does.

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const bash = `_svcctl() {
  local line="\${COMP_LINE:0:COMP_POINT}" words
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  local IFS=$'\\n'
  COMPREPLY=($(svcctl __complete -- "\${words[@]:1}" 2>/dev/null))
  [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" == *[/=] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _svcctl svcctl`;

const zsh = `#compdef svcctl
_svcctl() {
  local -a candidates
  candidates=("\${(@f)$(svcctl __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[1]}" ]]; then compadd -- "\${candidates[@]}"; else _files; fi
}
compdef _svcctl svcctl`;

const fish = `function __svcctl_complete
  set -l words (commandline -opc) (commandline -ct)
  svcctl __complete -- $words[2..-1] 2>/dev/null
end
complete -c svcctl -a '(__svcctl_complete)'`;

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash, zsh, fish };
