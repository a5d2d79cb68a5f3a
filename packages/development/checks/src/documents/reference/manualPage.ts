import type { DocumentedCommand, Reference } from "@sitewire/cli/reference"

/** sitewire(1), in the macros of man(7). `help`: what `sitewire --help` prints. */
export function manualPage(help: string, { globalOptions, commands, types }: Reference): string {
  return [
    `.TH SITEWIRE 1 "" "Sitewire" "User Commands"`,
    ".SH NAME",
    "sitewire \\- channels, connections, deliveries and syncs of Sitewire",
    ".SH SYNOPSIS",
    ".B sitewire",
    ".I noun verb",
    "[arguments] [options]",
    ".SH DESCRIPTION",
    ...afterOptions(help),
    ".SH OPTIONS",
    "Options of every command:",
    ...options(globalOptions),
    ".SH COMMANDS",
    ...commands.flatMap(section),
    ".SH JSON TYPES",
    "The types that the commands name, in TypeScript's notation.",
    ...verbatim([...types].map(([name, text]) => `type ${name} = ${text}`).join("\n\n")),
  ].join("\n")
}

/** The text of the help after its lists of options and commands. */
function afterOptions(help: string): string[] {
  const [, ...blocks] = help.split(/\nCommands:\n/)[1]?.split("\n\n") ?? []
  return verbatim(blocks.join("\n\n").trimEnd())
}

function section(command: DocumentedCommand): string[] {
  const { path, aliases, description, notes, examples, json } = command
  const usage = [path, ...command.arguments.map(([syntax]) => syntax)].join(" ")
  return [
    `.SS ${troff(usage)}`,
    sentence(description),
    ...command.arguments.flatMap(([syntax, text]) => [".TP", `.I ${troff(syntax)}`, sentence(text)]),
    ...options(command.options),
    ...(aliases.length > 0 ? [".PP", `The same: ${troff(aliases.join(", "))}.`] : []),
    ...(notes === null ? [] : [".PP", ...notes.split("\n").map(line)]),
    ".PP",
    "Examples:",
    ...verbatim(examples.join("\n")),
    ".PP",
    ...(json.isType ? ["With \\-\\-json:", ...verbatim(json.text)] : [`With \\-\\-json: ${line(json.text)}`]),
  ]
}

function options(list: DocumentedCommand["options"]): string[] {
  return list.flatMap(({ flags, description, default: value, choices }) => {
    const extra = [
      ...(choices.length > 0 ? [`one of ${choices.join(", ")}`] : []),
      ...(value === null ? [] : [`default: ${value}`]),
    ]
    const text = extra.length > 0 ? `${description} (${extra.join("; ")})` : description
    return [".TP", `.B ${troff(flags)}`, line(text)]
  })
}

function verbatim(text: string): string[] {
  return [".PP", ".nf", ...text.split("\n").map(line), ".fi"]
}

function sentence(text: string): string {
  return line(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`)
}

/** A line that begins with a dot or an apostrophe would be a request to troff. */
function line(text: string): string {
  return troff(text).replace(/^[.']/, "\\&$&")
}

function troff(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("→", "\\(->").replaceAll("…", "...")
}
