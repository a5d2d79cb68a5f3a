import { type CompletionEntry, pathNames } from "./completionModel.ts"

export function fishScript(entries: readonly CompletionEntry[]): string {
  return `# Completion of sitewire for fish. To load it in each shell:
#   sitewire completion fish > ~/.config/fish/completions/sitewire.fish
function __sitewire_command
    set -l at ""
    set -l words (commandline -opc)
    for word in $words[2..-1]
        switch "$at $word"
${pathNames(entries)
  .map(({ path, name }) => `            case ${quote(name)}\n                set at ${quote(path)}`)
  .join("\n")}
        end
    end
    echo "$at"
end
function __sitewire_at
    test "$argv[1]" = (__sitewire_command)
end
${entries.flatMap(completionsOf).join("\n")}`
}

function completionsOf({ path, subcommands, options }: CompletionEntry): string[] {
  const begin = `complete -c sitewire -n ${quote(`__sitewire_at "${path}"`)}`
  return [
    ...subcommands.map(({ word, description }) => `${begin} -f -a ${word} -d ${quote(description)}`),
    ...options.map(({ word, description, takesValue, values }) => {
      const name = word.startsWith("--") ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`
      const value = values.length > 0 ? ` -x -a ${quote(values.join(" "))}` : takesValue ? " -r" : ""
      return `${begin} ${name}${value} -d ${quote(description)}`
    }),
  ]
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
}
