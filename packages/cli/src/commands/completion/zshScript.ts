import { type CompletionEntry, pathNames, valueOptions } from "./completionModel.ts"

export function zshScript(entries: readonly CompletionEntry[]): string {
  return `#compdef sitewire
# Completion of sitewire for zsh. To load it in each shell, add this line to ~/.zshrc, after compinit:
#   eval "$(sitewire completion zsh)"
_sitewire() {
  local at="" prev="" word i
  local -a choices
  for ((i = 2; i < CURRENT; i++)); do
    word="$words[i]"
    prev="$word"
    case "$at $word" in
${pathNames(entries)
  .map(({ path, name }) => `      "${name}") at="${path}" ;;`)
  .join("\n")}
    esac
  done
  case "$at $prev" in
${withValues(entries).join("\n")}
    ${valueOptions(entries)
      .map((word) => `*" ${word}"`)
      .join(" | ")}) _files; return ;;
  esac
  case "$at" in
${entries.map(({ path, subcommands, options }) => `    "${path}") choices=(${[...subcommands, ...options].map(describe).join(" ")}) ;;`).join("\n")}
  esac
  _describe -o 'sitewire' choices
  [[ -z $choices || $PREFIX == -* ]] || _files
}
if [[ "$funcstack[1]" == "_sitewire" ]]; then _sitewire "$@"; else compdef _sitewire sitewire; fi`
}

function withValues(entries: readonly CompletionEntry[]): string[] {
  return entries.flatMap(({ path, options }) =>
    options
      .filter(({ values }) => values.length > 0)
      .map(({ word, values }) => `    "${path} ${word}") compadd -- ${values.join(" ")}; return ;;`),
  )
}

function describe({ word, description }: { word: string; description: string }): string {
  return `'${word}:${description.replaceAll("'", "'\\''").replaceAll(":", "\\:")}'`
}
