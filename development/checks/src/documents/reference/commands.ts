import type { Reference } from "@sitewire/cli/reference"

/** `help`: what `--help` prints, by the command. */
export function commandsPage(help: ReadonlyMap<string, string>, { commands, types }: Reference): string {
  const section = (path: string) => [`## ${path}`, code("text", help.get(path)?.trimEnd() ?? "")]
  return [
    "# Commands",
    "What `sitewire --help` and the `--help` of each command print. In a clone of the repository, `sitewire` is " +
      "`npm run --silent sitewire --`.",
    "With `--json`, a command prints one value of the type below it, in TypeScript's notation; the named types are at " +
      "the [end](#json-types). Later versions may add fields. An error is a problem document, or " +
      "`{ type: string, title: string, exit_code: number }`, on standard error.",
    ...section("sitewire"),
    ...commands.flatMap(({ path, json }) => [...section(path), describe(json)]),
    "## JSON types",
    code("ts", [...types].map(([name, text]) => `type ${name} = ${text}`).join("\n\n")),
  ].join("\n\n")
}

function describe({ text, isType }: Reference["commands"][number]["json"]): string {
  return isType ? `\`--json\`:\n\n${code("ts", text)}` : `\`--json\`: ${text}`
}

function code(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}
