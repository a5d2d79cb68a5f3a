import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { exitCodes } from "../../errors/exitCodes.ts"
import { incorrectUsage } from "../../errors/failure.ts"
import { readSecret, type SecretOptions, secretOptions } from "../../session/readSecret.ts"
import { describeExplanation } from "../../signature/describeExplanation.ts"
import { explainSignature, explanationSchema } from "../../signature/explainSignature.ts"

type Options = SecretOptions & {
  header: string
  secret?: true | string
  bodyFile: string
}

const whyNotAnArgument =
  "Arguments can be read by every process of this machine, and the shell's history stores them. Give the secret in " +
  "a variable (--secret-env NAME) or a file (--secret-file FILE)."

export const verify: CliCommand = {
  name: "verify",
  description:
    "check a body and its signature header against a secret, and explain a mismatch; needs no server",
  options: [
    new Option(
      "--header <value>",
      "the value of the X-Sitewire-Signature header, in quotes (required)",
    ).makeOptionMandatory(),
    ...secretOptions,
    new Option("--secret [secret]").hideHelp(),
    new Option("--body-file <file>", "the raw body; - is standard input").default("-"),
  ],
  notes:
    `${whyNotAnArgument.replace("them. ", "them.\n")}\n` +
    `The exit code is ${exitCodes.success} if the signature is valid, and ${exitCodes.failed} if it is invalid.`,
  // An unexpected argument may be the secret.
  allowExcessArguments: true,
  examples: [
    "read -rs SECRET && export SECRET && sitewire verify --secret-env SECRET --header 'sha256=3af1…' < body.json",
    "sitewire verify --secret-file secret.txt --header 'sha256=3af1…' --body-file body.json",
  ],
  json: explanationSchema,
  async run(session, args, options: Options) {
    if (options.secret !== undefined) throw incorrectUsage(`--secret is not an option. ${whyNotAnArgument}`)
    if (args.length > 0) {
      throw incorrectUsage("verify has options only, and no arguments. Put the header's value in quotes.")
    }
    if (options.secretFile === "-" && options.bodyFile === "-") {
      throw incorrectUsage(
        "Standard input cannot be both the secret and the body. Give one of them as a file.",
      )
    }
    const secret = await readSecret(session, options)
    const body = await session.readInput(options.bodyFile, "the body")
    const explanation = explainSignature({ body, secret, header: options.header })
    session.print(explanation, describeExplanation)
    if (!explanation.valid) session.outcome.exitCode = exitCodes.failed
  },
}
