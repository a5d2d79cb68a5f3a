import { type CompletionEntry, pathNames, valueOptions } from "./completionModel.ts"

export function bashScript(entries: readonly CompletionEntry[]): string {
  return `# Completion of sitewire for bash. To load it in each shell, add this line to ~/.bashrc:
#   eval "$(sitewire completion bash)"
_sitewire() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" at="" prev="" word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    # bash splits --option=value into three words.
    [[ $word == "=" ]] || prev="$word"
    case "$at $word" in
${pathNames(entries)
  .map(({ path, name }) => `      "${name}") at="${path}" ;;`)
  .join("\n")}
    esac
  done
  [[ $cur == "=" ]] && cur=""
  case "$at $prev" in
${withValues(entries).join("\n")}
    ${valueOptions(entries)
      .map((word) => `*" ${word}"`)
      .join(" | ")}) return ;;
  esac
  case "$at" in
${entries.map(({ path, subcommands, options }) => `    "${path}") ${complete([...subcommands, ...options].map(({ word }) => word))} ;;`).join("\n")}
  esac
}
complete -o default -F _sitewire sitewire`
}

function withValues(entries: readonly CompletionEntry[]): string[] {
  return entries.flatMap(({ path, options }) =>
    options
      .filter(({ values }) => values.length > 0)
      .map(({ word, values }) => `    "${path} ${word}") ${complete(values)}; return ;;`),
  )
}

function complete(words: readonly string[]): string {
  return `COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$cur"))`
}
