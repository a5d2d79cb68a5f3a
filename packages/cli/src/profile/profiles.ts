import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { parseJson } from "@sitewire/contracts"
import { z } from "zod"
import { incorrectUsage } from "../errors/failure.ts"

const profileSchema = z.object({
  api: z.string().min(1),
  key: z.string().min(1),
  kafka: z.string().min(1).optional(),
  topic_prefix: z.string().optional(),
})

const fileSchema = z.object({
  /** The profile that is used if nothing else is configured. */
  current: z.string().nullable(),
  profiles: z.record(z.string(), profileSchema),
})

/** An installation: where it is, and the key to its management API. */
export type Profile = z.infer<typeof profileSchema>
export type Profiles = z.infer<typeof fileSchema>

/** In the user's folder for configuration (XDG Base Directory). Relative paths in XDG_CONFIG_HOME are ignored. */
export function profilesFile(env: NodeJS.ProcessEnv): string {
  const configured = env.XDG_CONFIG_HOME
  const folder = configured?.startsWith("/") ? configured : join(env.HOME || homedir(), ".config")
  return join(folder, "sitewire", "profiles.json")
}

export function readProfiles(env: NodeJS.ProcessEnv): Profiles {
  const path = profilesFile(env)
  const text = readIfPresent(path)
  if (text === null) return { current: null, profiles: {} }
  requirePrivate(path)
  const parsed = fileSchema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  // Only names of fields: the values contain keys.
  const fields = new Set(parsed.error.issues.map((issue) => issue.path.join(".") || "the whole file"))
  throw incorrectUsage(
    `${path} cannot be used: missing or invalid: ${[...fields].join(", ")}. ` +
      "Correct it, or delete it and add the profiles again (sitewire profile add).",
  )
}

/** Replaces the file as a whole, so that an interruption leaves the old one. */
export function writeProfiles(env: NodeJS.ProcessEnv, profiles: Profiles): void {
  const path = profilesFile(env)
  const temporary = `${path}.${process.pid}`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    rmSync(temporary, { force: true })
    writeFileSync(temporary, `${JSON.stringify(profiles, null, 2)}\n`, {
      mode: 0o600,
      flush: true,
      flag: "wx",
    })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw incorrectUsage(`${path} cannot be written (${codeOf(error)}). Check your permissions and the disk.`)
  }
}

/** The profile that `sitewire profile use` has chosen. */
export function profileInUse(env: NodeJS.ProcessEnv): Profile | undefined {
  const { current, profiles } = readProfiles(env)
  return current === null ? undefined : profiles[current]
}

export function findProfile(env: NodeJS.ProcessEnv, name: string): Profile {
  const { profiles } = readProfiles(env)
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile) return profile
  const names = Object.keys(profiles)
  throw incorrectUsage(
    `There is no profile with this name. ${names.length === 0 ? "There are none yet" : `There are: ${names.join(", ")}`}. ` +
      "Add one: sitewire profile add NAME --api URL",
  )
}

function requirePrivate(path: string): void {
  if (process.platform === "win32") return
  const { mode } = statSync(path)
  if ((mode & 0o077) === 0) return
  throw incorrectUsage(
    `${path} contains API keys, and other users of this machine may read it. Correct this: chmod 600 '${path}'`,
  )
}

function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    const code = codeOf(error)
    if (code === "ENOENT" || code === "ENOTDIR") return null
    throw incorrectUsage(`${path} cannot be read (${code}). Check your permissions.`)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error"
}
