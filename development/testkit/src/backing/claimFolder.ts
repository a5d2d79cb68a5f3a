import { randomBytes } from "node:crypto"
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { endStray, processStartTime } from "./local/processes.ts"
import type { BackingOptions, Progress } from "./types.ts"

type Service = "postgres" | "kafka"
type Named = { service: Service; progress: Progress }

/** Postgres gets SIGINT, because on SIGTERM it would wait for its clients to disconnect. */
export const endSignal = { postgres: "SIGINT", kafka: "SIGTERM" } as const

/** The content of claim.json: the process that uses a folder (`owner`), and the server that it started. */
type Claim = { owner: number; ownerStartTime: string; pid?: number; startTime?: string | undefined }

export type Folder = {
  path: string
  /** Adds the server to the claim, so that a later run can stop the server if this process is killed. */
  record(pid: number): Promise<void>
  release(): Promise<void>
}

/**
 * Claims a service's folder for this process. If killed runs left a server or scratch folders, the server is
 * stopped and the folders are removed. Rejects if a running process has the claim, because two installations
 * must not share a database.
 */
export async function claimFolder(
  options: Named & Pick<BackingOptions, "directory" | "durability">,
): Promise<Folder> {
  const { directory, service, durability } = options
  await mkdir(directory, { recursive: true })
  await removeDeadScratch(directory, options)
  const name = durability === "persistent" ? service : `${service}-scratch-${randomBytes(4).toString("hex")}`
  const path = join(directory, name)
  await mkdir(path, { recursive: true })
  const file = join(path, "claim.json")
  const claim: Claim = { owner: process.pid, ownerStartTime: processStartTime(process.pid) ?? "" }
  for (let attempt = 1; ; attempt++) {
    try {
      await writeFile(file, JSON.stringify(claim), { flag: "wx" })
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST" || attempt === 5) throw error
      await clearDeadClaim(path, options)
    }
  }
  return {
    path,
    record: (pid) => writeFile(file, JSON.stringify({ ...claim, pid, startTime: processStartTime(pid) })),
    release: () =>
      durability === "scratch" ? rm(path, { recursive: true, force: true }) : rm(file, { force: true }),
  }
}

/**
 * Removes a persistent service's data, after stopping a server that a killed run left. Throws if the folder
 * is in use.
 */
export async function clearFolder(directory: string, named: Named) {
  const path = join(directory, named.service)
  await clearDeadClaim(path, named)
  await rm(path, { recursive: true, force: true })
}

async function removeDeadScratch(directory: string, named: Named) {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(`${named.service}-scratch-`)) continue
    const path = join(directory, name)
    const claim = await readClaim(path)
    // A folder without a claim may be one that another process is creating right now.
    if (!claim || isOwned(claim)) continue
    await clearDeadClaim(path, named)
    await rm(path, { recursive: true, force: true })
  }
}

async function clearDeadClaim(path: string, { service, progress }: Named) {
  const claim = await readClaim(path)
  if (claim && isOwned(claim)) {
    throw new Error(
      `${service} in ${path} belongs to process ${claim.owner}, which is still running. Stop that process, or use another folder.`,
    )
  }
  if (claim?.pid && claim.startTime && processStartTime(claim.pid) === claim.startTime) {
    progress(`stopping ${service} of a run that was killed (process ${claim.pid})`)
    await endStray(claim.pid, claim.startTime, endSignal[service])
  }
  await rm(join(path, "claim.json"), { force: true })
}

function isOwned(claim: Claim) {
  return processStartTime(claim.owner) === claim.ownerStartTime
}

async function readClaim(path: string): Promise<Claim | undefined> {
  try {
    return JSON.parse(await readFile(join(path, "claim.json"), "utf8"))
  } catch (error) {
    // Incomplete JSON: a process was killed while it wrote the claim, so no server is known.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}
