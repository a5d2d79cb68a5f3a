import { closeSync, fstatSync, openSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseJson } from "@sitewire/contracts"
import { z } from "zod"
import { incorrectUsage } from "../errors/failure.ts"

/** The local stack's file. `npm start` writes it when all services on this machine are ready. */
export const localStackSchema = z.object({
  gateway: z.url().describe("The trigger gateway."),
  console: z.url().describe("The management API, without /v1."),
  partner: z.url().describe("The demo partner."),
  kafka: z.string().min(1).describe("Brokers as host:port, separated by commas."),
  database: z.string().min(1).describe("Postgres, as a URL with credentials."),
  apiKey: z.string().min(1).describe("A bearer key of the management API."),
  topicPrefix: z.string().optional(),
  ops: z.record(z.string(), z.url()).describe("Base URLs of /livez, /readyz and /metrics, by service."),
  processes: z.record(z.string(), z.int()).describe("Process ids, by service."),
  supervisorBirth: z.string().describe("Distinguishes the supervisor from a later process with the same id."),
})

export type LocalStack = z.infer<typeof localStackSchema>

/** Relative to the repository's folder. */
export const localStackFile = join(".sitewire", "local.json")

/**
 * Reads the local stack's file in this folder or the nearest parent that has one. Null: there is none. Rejects one that
 * another user has written or may write: it would decide where commands send what they are given.
 */
export function findLocalStack(folder: string): { path: string; stack: LocalStack } | null {
  const path = join(folder, localStackFile)
  const text = readIfPresent(path)
  if (text !== null) return { path, stack: parseLocalStack(path, text) }
  const parent = dirname(folder)
  return parent === folder ? null : findLocalStack(parent)
}

function readIfPresent(path: string): string | null {
  let file: number
  try {
    file = openSync(path, "r")
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) {
      return null
    }
    throw error
  }
  try {
    const { uid, mode } = fstatSync(file)
    const own = process.getuid?.() ?? uid
    if (uid === own && (mode & 0o022) === 0) return readFileSync(file, "utf8")
  } finally {
    closeSync(file)
  }
  throw incorrectUsage(
    `${path} is not used, because another user of this machine has written it or may write it. ` +
      "Give the address: --api URL, --kafka HOST:PORT, or a profile.",
  )
}

function parseLocalStack(path: string, text: string): LocalStack {
  const parsed = localStackSchema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  // The message contains only field names, because the values include the API key and the database's
  // password.
  const fields = new Set(parsed.error.issues.map((issue) => issue.path.join(".") || "the whole file"))
  throw incorrectUsage(
    `${path} cannot be used: missing or invalid: ${[...fields].join(", ")}. ` +
      "Restart the local stack (npm start), which rewrites the file.",
  )
}
