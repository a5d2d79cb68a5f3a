import { usage } from "../errors/failure.ts"
import type { Session } from "./openSession.ts"

/** Where a secret is, never the secret itself: others on this machine can read a command's arguments. */
export type SecretOptions = { secretEnv?: string; secretFile?: string }

export async function readSecret(
  session: Session,
  { secretEnv, secretFile }: SecretOptions,
): Promise<Buffer> {
  if ((secretEnv === undefined) === (secretFile === undefined)) {
    throw usage("Give the secret with either --secret-env NAME or --secret-file FILE.")
  }
  if (secretFile !== undefined) {
    const secret = await session.readInput(secretFile, "the secret")
    if (secret.length === 0) throw usage("The secret's file is empty, so there is nothing to verify with.")
    return secret
  }
  // The name is not quoted: somebody will put the secret itself there.
  const value = session.env[secretEnv ?? ""]
  if (!value)
    throw usage("--secret-env names a variable that is not set, or empty. Set it and export it first.")
  return Buffer.from(value)
}
