import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { z } from "zod"
import { usage } from "../errors/failure.ts"

/** What the local stack writes when it is ready: every address and credential of it. */
export const localStackSchema = z.object({
  gateway: z.url().meta({ description: "The trigger gateway." }),
  console: z.url().meta({ description: "The management API, without /v1." }),
  partner: z.url().meta({ description: "The demo partner." }),
  kafka: z.string().min(1).meta({ description: "Brokers as host:port, separated by commas." }),
  database: z.string().min(1).meta({ description: "Postgres, as a URL with its credentials." }),
  apiKey: z.string().min(1).meta({ description: "A bearer key of the management API." }),
  topicPrefix: z.string().optional(),
  ops: z
    .record(z.string(), z.url())
    .meta({ description: "Where the services answer /livez, /readyz and /metrics, by name." }),
  processes: z.record(z.string(), z.int()).meta({ description: "Process ids of the services, by name." }),
  supervisorBirth: z.string().meta({ description: "Tells the supervisor from a later process with its id." }),
})

export type LocalStack = z.infer<typeof localStackSchema>

/** Where the file lies, from the folder of the repository. */
export const localStackFile = join(".sitewire", "local.json")

/** The local stack's file in this folder or the nearest parent that has one, or null. Fails if it is unusable. */
export function findLocalStack(folder: string): { path: string; stack: LocalStack } | null {
  const path = join(folder, localStackFile)
  const text = readIfThere(path)
  if (text !== null) return { path, stack: readLocalStack(path, text) }
  const parent = dirname(folder)
  return parent === folder ? null : findLocalStack(parent)
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) {
      return null
    }
    throw error
  }
}

function readLocalStack(path: string, text: string): LocalStack {
  const parsed = localStackSchema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  // Names of fields only: the file holds the key and the database's password.
  const fields = new Set(parsed.error.issues.map((issue) => issue.path.join(".") || "the file itself"))
  throw usage(
    `${path} cannot be used: wrong or missing are ${[...fields].join(", ")}. ` +
      "Start the local stack again (npm start), which writes it anew.",
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
