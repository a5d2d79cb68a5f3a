import { Command } from "commander"
import packageJson from "../package.json" with { type: "json" }
import { type CliCommand, type CommandGroup, isGroup } from "./command.ts"
import { commands } from "./commands/commands.ts"
import { exitCodeHelp } from "./errors/exitCodes.ts"
import { Failure } from "./errors/failure.ts"
import { commandsOfRequests, inWordsOfCommands } from "./errors/inWordsOfCommands.ts"
import { redactSecrets, refuseSecrets } from "./errors/refuseSecrets.ts"
import { describeCommands, withSubcommands } from "./grammar/describeCommands.ts"
import { globalOptions } from "./options/globalOptions.ts"
import { createSession, type Outcome, type ProcessContext } from "./session/createSession.ts"

const requests = commandsOfRequests(withSubcommands(describeCommands(commands)))

/** `json`: writes neither errors nor the help text that replaces them, because the caller reports them. */
export function createProgram(context: ProcessContext, outcome: Outcome, json = false): Command {
  const { stdout, stderr } = context
  const program = new Command("sitewire")
    .description("Channels, connections, deliveries and syncs of Sitewire, from the command line.")
    .version(packageJson.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    // Subcommands inherit these settings only if they are created afterwards.
    .exitOverride()
    .showHelpAfterError("Run the command with --help to see its arguments and options.")
    .configureHelp({
      showGlobalOptions: true,
      helpWidth: stdout.columns ?? 100,
      subcommandTerm: (command) => [command.name(), usageOf(command)].join(" ").trim(),
    })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void (json || stderr.write(redactSecrets(text))),
    })
    .addHelpText("after", targetHelp)
    .addHelpText("after", exitCodeHelp)
    .addHelpText("after", exampleHelp(rootExamples))
  for (const option of globalOptions) program.addOption(option)
  for (const entry of commands) add(program, entry, { context, outcome })
  return program
}

function usageOf(command: Command): string {
  const options = command.options.length > 0 && command.commands.length === 0 ? "[options]" : ""
  const names = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  )
  return [options, ...names].filter((text) => text !== "").join(" ")
}

type Surroundings = { context: ProcessContext; outcome: Outcome }

function add(parent: Command, entry: CliCommand | CommandGroup, surroundings: Surroundings): void {
  const hidden = isGroup(entry) && entry.hidden === true
  const command = parent.command(entry.name, { hidden }).description(entry.description).helpCommand(false)
  if (!isGroup(entry)) register(command, entry, surroundings)
  else for (const child of entry.commands) add(command, child, surroundings)
}

function register(command: Command, definition: CliCommand, { context, outcome }: Surroundings): void {
  for (const [syntax, description] of definition.arguments ?? []) command.argument(syntax, description)
  for (const option of definition.options ?? []) command.addOption(option)
  if (definition.allowExcessArguments) command.allowExcessArguments()
  if (definition.notes !== undefined) command.addHelpText("after", `\n${definition.notes}`)
  command.addHelpText("after", exampleHelp(definition.examples))
  command.action(async () => {
    const globalOptions = command.optsWithGlobals()
    refuseSecrets([...command.args, ...Object.values(globalOptions)])
    const session = createSession(context, { globalOptions, outcome })
    try {
      await definition.run(session, command.args, command.opts())
    } catch (error) {
      if (!(error instanceof Failure) || error.problem === null) throw error
      throw new Failure(
        error.kind,
        inWordsOfCommands(error.message, command.options, requests),
        error.problem,
      )
    }
  })
}

function exampleHelp(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`
}

const targetHelp = `
The addresses and the API key are taken from the options; then from the profile that --profile or
SITEWIRE_PROFILE names; then from the environment (SITEWIRE_API, SITEWIRE_API_KEY, KAFKA_BROKERS,
TOPIC_PREFIX, and KAFKA_TLS, KAFKA_CA, KAFKA_CERTIFICATE, KAFKA_KEY, KAFKA_USERNAME, KAFKA_PASSWORD and
KAFKA_SASL_MECHANISM with the same meaning as in the services); then from the profile in use (sitewire profile
use); and then from .sitewire/local.json, which \`npm start\` writes, in the current folder or a parent of it, if no
other user may write it. A key is sent only to the address that has the same source, or that --api gives.
Inside the repository, run: npm run --silent sitewire -- COMMAND`

const rootExamples = [
  "sitewire channel create --id acme --address https://partner.example/sitewire",
  "sitewire event publish --channel acme",
  "sitewire delivery list --channel acme",
  "sitewire connection create --site bakery.example --source https://partner.example/data.json",
  "sitewire trigger CONNECTION --times 5",
  "sitewire doctor",
]
