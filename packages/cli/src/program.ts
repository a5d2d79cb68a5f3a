import { Command } from "commander"
import packageJson from "../package.json" with { type: "json" }
import type { CliCommand, CommandGroup } from "./command.ts"
import { commands } from "./commands/commands.ts"
import { exitCodeHelp } from "./errors/exitCodes.ts"
import { redactTokens } from "./errors/redactTokens.ts"
import { createSession, type Outcome, type ProcessContext } from "./session/createSession.ts"

export function createProgram(context: ProcessContext, outcome: Outcome): Command {
  const { stdout, stderr } = context
  const program = new Command("sitewire")
    .description("Channels, connections, deliveries and syncs of Sitewire, from the command line.")
    .version(packageJson.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    // Subcommands inherit these settings only if they are created afterwards.
    .exitOverride()
    .showHelpAfterError("Run the command with --help to see its arguments and options.")
    .configureHelp({ showGlobalOptions: true, helpWidth: stdout.columns ?? 100 })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(redactTokens(text)),
    })
    .option("--json", "print the management API's JSON; lists as {data, next_cursor}")
    .option("--api <url>", "the management API (SITEWIRE_API)")
    .option("--kafka <host:port>", "Kafka's brokers, separated by commas (KAFKA_BROKERS)")
    .addHelpText("after", targetHelp)
    .addHelpText("after", exitCodeHelp)
    .addHelpText("after", exampleHelp(rootExamples))
  for (const entry of commands) add(program, entry, { context, outcome })
  return program
}

type Surroundings = { context: ProcessContext; outcome: Outcome }

function add(parent: Command, entry: CliCommand | CommandGroup, surroundings: Surroundings): void {
  const command = parent.command(entry.name).description(entry.description).helpCommand(false)
  if ("commands" in entry) for (const child of entry.commands) add(command, child, surroundings)
  else register(command, entry, surroundings)
}

function register(command: Command, definition: CliCommand, { context, outcome }: Surroundings): void {
  for (const [syntax, description] of definition.arguments ?? []) command.argument(syntax, description)
  for (const option of definition.options ?? []) command.addOption(option)
  if (definition.allowExcessArguments) command.allowExcessArguments()
  if (definition.notes !== undefined) command.addHelpText("after", `\n${definition.notes}`)
  command.addHelpText("after", exampleHelp(definition.examples))
  command.action(() => {
    const session = createSession(context, { globalOptions: command.optsWithGlobals(), outcome })
    return definition.run(session, command.args, command.opts())
  })
}

function exampleHelp(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`
}

const targetHelp = `
The addresses and the API key are taken from the options; if an option is missing, from the environment
(SITEWIRE_API, SITEWIRE_API_KEY, KAFKA_BROKERS, TOPIC_PREFIX, and KAFKA_TLS, KAFKA_CA, KAFKA_USERNAME,
KAFKA_PASSWORD and KAFKA_SASL_MECHANISM with the same meaning as in the services); and then from
.sitewire/local.json, which \`npm start\` writes, in the current folder or a parent of it.
Inside the repository, run: npm run --silent sitewire -- COMMAND`

const rootExamples = [
  "sitewire channel create --id acme --address https://partner.example/sitewire",
  "sitewire publish site.paid --channel acme",
  "sitewire delivery list --channel acme",
  "sitewire connection create --site bakery.example --source https://partner.example/data.json",
  "sitewire trigger CONNECTION --times 5",
]
