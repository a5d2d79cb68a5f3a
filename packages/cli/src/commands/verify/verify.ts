import { type Command, Option } from "commander"
import { examples } from "../../examples.ts"
import { usage } from "../../errors/failure.ts"
import type { Setup } from "../../program.ts"
import { readSecret, type SecretOptions } from "../../session/readSecret.ts"
import { describe } from "../../signature/describeExplanation.ts"
import { explain } from "../../signature/explainSignature.ts"

type Options = SecretOptions & {
  header: string
  secret?: true | string
  bodyFile: string
}

const notInArguments =
  "Arguments can be read by every process of this machine and stay in the shell's history, so the secret is " +
  "taken from a variable (--secret-env NAME) or a file (--secret-file FILE)."

export function addVerify(parent: Command, { open, outcome }: Setup): void {
  parent
    .command("verify")
    .description(
      "check a body and its signature header against a secret, and say why it fails; needs no server",
    )
    .requiredOption("--header <value>", "the value of X-Sitewire-Signature, in quotes")
    .option("--secret-env <name>", "the environment variable that holds the secret")
    .option("--secret-file <file>", "the file that holds the secret, taken byte for byte")
    .addOption(new Option("--secret [secret]").hideHelp())
    .option("--body-file <file>", "the raw body; - is standard input", "-")
    // Excess arguments are refused below: commander would quote them, and one may be the secret.
    .allowExcessArguments()
    .addHelpText(
      "after",
      `\n${notInArguments.replace("so the secret is ", "so the secret is\n")}\nExit codes: 0 valid, 1 invalid, 2 used wrongly.`,
    )
    .addHelpText(
      "after",
      examples(
        "read -rs SECRET && export SECRET && sitewire verify --secret-env SECRET --header 'sha256=3af1…' < body.json",
        "sitewire verify --secret-file secret.txt --header 'sha256=3af1…' --body-file body.json",
      ),
    )
    .action(async (options: Options, command: Command) => {
      const session = open(command)
      if (options.secret !== undefined) throw usage(`--secret is not taken. ${notInArguments}`)
      if (command.args.length > 0) throw usage("verify takes options only. Is the header's value in quotes?")
      if (options.secretFile === "-" && options.bodyFile === "-") {
        throw usage("Standard input cannot be both the secret and the body. Give one of them as a file.")
      }
      const secret = await readSecret(session, options)
      const body = await session.readInput(options.bodyFile, "the body")
      const explanation = explain({ body, secret, header: options.header })
      session.show(explanation, describe)
      if (!explanation.valid) outcome.exitCode = 1
    })
}
