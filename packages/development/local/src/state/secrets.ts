import { randomBytes } from "node:crypto"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { z } from "zod"
import { secretsFile, stateFolder } from "../folders.ts"

const secretsSchema = z.object({
  sealingKeys: z.string(),
  /** Undefined before the first start is complete. */
  apiKey: z.string().optional(),
  demoSecret: z.string().optional(),
})

export type Secrets = z.infer<typeof secretsSchema>

/** The local installation's secrets: made once and stored in a file that only its owner can read. */
export async function readSecrets(): Promise<Secrets> {
  try {
    return secretsSchema.parse(JSON.parse(await readFile(secretsFile, "utf8")))
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw unusable(error)
  }
  const made = { sealingKeys: `local:${randomBytes(32).toString("base64")}` }
  await writeSecrets(made)
  return made
}

export async function writeSecrets(secrets: Secrets): Promise<void> {
  await mkdir(stateFolder, { recursive: true })
  await writePrivate(secretsFile, secrets)
}

/** Writes a temporary file and renames it, so that nobody reads an incomplete file. */
export async function writePrivate(file: string, content: unknown): Promise<void> {
  const beside = `${file}.${process.pid}`
  await writeFile(beside, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  await rename(beside, file)
}

function unusable(cause: unknown): Error {
  return new Error(
    `${secretsFile} cannot be read. Correct it, or delete all local data with: npm run reset`,
    { cause },
  )
}
