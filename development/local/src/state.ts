import { randomBytes } from "node:crypto"
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type LocalStack, localStackSchema } from "@sitewire/cli"
import { reasonOf } from "@sitewire/runtime"
import { processStartTime } from "@sitewire/testkit/backing"
import { z } from "zod"

export const root = fileURLToPath(new URL("../../..", import.meta.url))
const stateFolder = join(root, ".sitewire")
export const localFile = join(stateFolder, "local.json")
export const secretsFile = join(stateFolder, "secrets.json")
export const logsFolder = join(stateFolder, "logs")
export const jarsFolder = join(stateFolder, "jars")
export const prometheusFolder = join(stateFolder, "prometheus")
export const dataFolder = join(stateFolder, "data")

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
  } catch (cause) {
    const advice = "Correct it, or delete all local data with: npm run reset"
    if (!(cause instanceof Error && "code" in cause && cause.code === "ENOENT"))
      throw new Error(`${secretsFile} cannot be read. ${advice}`, { cause })
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
async function writePrivate(file: string, content: unknown): Promise<void> {
  const beside = `${file}.${process.pid}`
  await writeFile(beside, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  await rename(beside, file)
}

/**
 * Writes the result of `describe` to `file`, and again at each `update`. Writes run one after the other, so that the
 * newest state is written last. If an update fails, `progress` reports it, and the installation runs on.
 */
export async function createLocalFile(
  file: string,
  { describe, progress }: { describe: () => LocalStack; progress: (line: string) => void },
): Promise<{ update(): void; remove(): Promise<void> }> {
  let written = writePrivate(file, describe())
  await written
  return {
    update() {
      written = written
        .then(() => writePrivate(file, describe()))
        .catch((error) => progress(`${file} is out of date: it could not be written: ${reasonOf(error)}`))
    },
    async remove() {
      await written
      await rm(file, { force: true })
    },
  }
}

/** The installation that runs from this checkout, or null. Null also if its file cannot be read. */
export async function readRunningInstallation(file: string = localFile): Promise<LocalStack | null> {
  const text = await readFile(file, "utf8").catch(() => "")
  try {
    const stack = localStackSchema.parse(JSON.parse(text))
    const { supervisor = 0 } = stack.processes
    return supervisor > 0 && processStartTime(supervisor) === stack.supervisorBirth ? stack : null
  } catch {
    return null
  }
}
