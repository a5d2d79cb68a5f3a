import { Option } from "commander"
import { incorrectUsage } from "../errors/failure.ts"
import type { Session } from "./createSession.ts"

/** The secret itself is never an argument, because other users of the machine can read arguments. */
export type SecretOptions = { secretEnv?: string; secretFile?: string }

export const secretOptions = [
  new Option("--secret-env <name>", "the environment variable that contains the channel's secret"),
  new Option("--secret-file <file>", "the file that contains the secret, used byte for byte"),
]

export async function readSecret(
  session: Session,
  { secretEnv, secretFile }: SecretOptions,
): Promise<Buffer> {
  if ((secretEnv === undefined) === (secretFile === undefined)) {
    throw incorrectUsage("Give the secret with either --secret-env NAME or --secret-file FILE.")
  }
  if (secretFile !== undefined) {
    const secret = await session.readInput(secretFile, "the secret")
    if (secret.length === 0) {
      throw incorrectUsage("The secret's file is empty. Write the channel's secret into it.")
    }
    return secret
  }
  const value = session.env[secretEnv ?? ""]
  // The message does not quote the name: users mistakenly put the secret itself there.
  if (!value) {
    throw incorrectUsage(
      "--secret-env names a variable that is not set, or empty. Set and export it, and give its name.",
    )
  }
  return Buffer.from(value)
}
