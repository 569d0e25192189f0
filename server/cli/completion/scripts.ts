// The shell side of completion: each hands the words typed so far to `svcctl __complete` and offers the answers, or files if it requests them.

/** Printed instead of candidates where a file belongs. */
export const FILES = ':files';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

// Readline replaces only the text behind the last character of COMP_WORDBREAKS, so that what precedes it is cut from each candidate.
const bash = `_svcctl() {
  local line="\${COMP_LINE:0:COMP_POINT}" words breaks="\${COMP_WORDBREAKS//[^=:]/}" word head=""
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  word="\${words[\${#words[@]}-1]}"
  [[ -n "$breaks" && "$word" == *["$breaks"]* ]] && head="\${word%"\${word##*["$breaks"]}"}"
  local IFS=$'\\n'
  COMPREPLY=($(svcctl __complete -- "\${words[@]:1}" 2>/dev/null))
  [[ "\${COMPREPLY[0]}" == '${FILES}' ]] && { COMPREPLY=(); compopt -o default 2>/dev/null; }
  [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" == *[/=] ]] && compopt -o nospace 2>/dev/null
  [[ "\${COMPREPLY[0]}" == "$head" ]] && COMPREPLY=()
  COMPREPLY=("\${COMPREPLY[@]#"$head"}")
  return 0
}
complete -F _svcctl svcctl`;

// An installed file of this name is the body of the function at its first call, which therefore has to complete too.
const zsh = `#compdef svcctl
_svcctl() {
  local -a candidates
  local ret=1
  candidates=(\${(f)"$(svcctl __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  [[ "\${candidates[1]}" == '${FILES}' ]] && { _files; return; }
  compadd -- "\${(@)candidates:#*[/=]}" && ret=0
  compadd -S '' -- "\${(@M)candidates:#*[/=]}" && ret=0
  return ret
}
if [[ "$funcstack[1]" == _svcctl ]]; then _svcctl; else compdef _svcctl svcctl; fi`;

const fish = `function __svcctl_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l candidates (svcctl __complete -- $words[2..-1] 2>/dev/null)
  if test "$candidates[1]" = '${FILES}'
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $candidates
  end
end
complete -c svcctl -f -a '(__svcctl_complete)'`;

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash, zsh, fish };
