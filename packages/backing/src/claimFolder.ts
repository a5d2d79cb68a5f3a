import { randomBytes } from "node:crypto"
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { endStray, processStartTime, runsWith } from "./local/processes.ts"
import type { BackingOptions, Progress } from "./types.ts"

export type Service = "postgres" | "kafka"

/** How the service ends in good order: Postgres' fast shutdown is SIGINT (SIGTERM would wait for its clients). */
export const endSignal = { postgres: "SIGINT", kafka: "SIGTERM" } as const

/** What a service was started with, so that a later run knows what was left behind. */
type Claim = { owner: number; ownerStartTime: string; pid?: number; argument?: string }

export type Folder = {
  path: string
  /** Records the server's process; `argument` is the path on its command line that only it uses. */
  record(pid: number, argument: string): Promise<void>
  /** Lets the next run have the folder; a scratch one is removed. */
  release(): Promise<void>
}

/**
 * Takes the folder of a service for this process. What a run that was killed left running there is stopped first,
 * and scratch folders of dead runs are removed. A folder whose owner lives is refused: two systems would share
 * one database without knowing.
 */
export async function claimFolder({
  directory,
  service,
  durability,
  progress,
}: Pick<BackingOptions, "directory" | "durability" | "progress"> & { service: Service }): Promise<Folder> {
  await mkdir(directory, { recursive: true })
  await sweepScratch({ directory, service, progress })
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
      await clearDeadClaim({ path, service, progress })
    }
  }
  return {
    path,
    record: (pid, argument) => writeFile(file, JSON.stringify({ ...claim, pid, argument })),
    release: () =>
      durability === "scratch" ? rm(path, { recursive: true, force: true }) : rm(file, { force: true }),
  }
}

/**
 * Stops what a killed run left running in a kept folder and removes its data; for `reset`.
 * Throws when a living process still uses it.
 */
export async function clearFolder({
  directory,
  service,
  progress,
}: Pick<BackingOptions, "directory" | "progress"> & { service: Service }) {
  const path = join(directory, service)
  await clearDeadClaim({ path, service, progress })
  await rm(path, { recursive: true, force: true })
}

async function sweepScratch({
  directory,
  service,
  progress,
}: {
  directory: string
  service: Service
  progress: Progress
}) {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(`${service}-scratch-`)) continue
    const path = join(directory, name)
    const claim = await readClaim(path)
    // A folder without a claim may be one that another process is making at this moment.
    if (!claim || isOwned(claim)) continue
    await clearDeadClaim({ path, service, progress })
    await rm(path, { recursive: true, force: true })
  }
}

async function clearDeadClaim({
  path,
  service,
  progress,
}: {
  path: string
  service: Service
  progress: Progress
}) {
  const claim = await readClaim(path)
  if (claim && isOwned(claim)) {
    throw new Error(
      `${service} in ${path} belongs to process ${claim.owner}, which is still running. Stop that one first, or use another folder.`,
    )
  }
  if (claim?.pid && claim.argument && runsWith(claim.pid, claim.argument)) {
    progress(`stopping ${service} of a run that was killed (process ${claim.pid})`)
    await endStray(claim.pid, claim.argument, endSignal[service], 20_000)
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
    // Unreadable JSON is a file whose writer was killed half-way: nothing was started under it yet.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}
