import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
// biome-ignore lint/style/noRestrictedImports: packages/database is tested with this package and cannot test it.
import pg from "pg"
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest"
import { type LocalService, removeBackingData, startedHere, startPostgres } from "../../src/backing/index.ts"
import { processStartTime } from "../../src/backing/local/processes.ts"

let root: string
const lines: string[] = []
const env = { ...process.env, DATABASE_URL: undefined, BACKING_SERVICES: "local" }
const progress = (line: string) => void lines.push(line)

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "backing-postgres-"))
  // If the tests run as root, Postgres runs under another account, which must be able to enter.
  await chmod(root, 0o755)
})
afterAll(() => rm(root, { recursive: true, force: true }))

async function start(name: string, durability: "persistent" | "scratch" = "persistent", port?: number) {
  const options = { directory: join(root, name), env, durability, progress, port, onUnaskedEnd: progress }
  return startedHere(await startPostgres(options))
}

async function query(address: string, sql: string) {
  const client = new pg.Client(address)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

function pidOf(backing: LocalService) {
  if (backing.pid === undefined) throw new Error("it has no process")
  return backing.pid
}

const gone = (pid: number) =>
  vi.waitFor(() => expect(processStartTime(pid)).toBeUndefined(), { timeout: 10_000, interval: 20 })

test("a given address is used as it is, and nothing is started", async () => {
  const address = "postgres://somebody@db.example:6432/theirs?sslmode=require"
  const directory = join(root, "given")
  const backing = await startPostgres({
    directory,
    env: { DATABASE_URL: address },
    durability: "persistent",
    progress,
  })
  await backing.stop()
  expect(backing).toMatchObject({ kind: "given", address })
  expect(await readdir(root)).not.toContain("given")
})

test("kept data survives a restart, the password is needed, and stop leaves no process", async () => {
  const first = await start("kept")
  const pid = pidOf(first)
  await query(first.address, "CREATE TABLE kept AS SELECT 7 AS n")
  const wrong = first.address.replace(/:[0-9a-f]{32}@/, ":wrong@")
  await expect(query(wrong, "SELECT 1")).rejects.toThrow("password authentication failed")
  await first.stop()
  expect(processStartTime(pid)).toBeUndefined()

  const second = await start("kept")
  expect(await query(second.address, "SELECT n FROM kept")).toEqual([{ n: 7 }])
  await second.stop()
  await second.stop()
})

test.each(["orderly", "kill"] as const)(
  "after an outage (%s) the same address has the same data",
  async (how) => {
    const backing = await start(`outage-${how}`)
    await query(backing.address, "CREATE TABLE kept AS SELECT 7 AS n")
    await backing.halt(how)
    expect(backing.pid).toBeUndefined()
    await expect(query(backing.address, "SELECT 1")).rejects.toThrow("ECONNREFUSED")
    await backing.resume()
    expect(await query(backing.address, "SELECT n FROM kept")).toEqual([{ n: 7 }])
    await backing.stop()
  },
)

test("a server that ends although nobody stopped it is reported", async () => {
  const asked = await start("asked")
  await asked.halt("kill")
  await asked.stop()
  const backing = await start("unasked")
  process.kill(pidOf(backing), "SIGKILL")
  const reported = () => lines.filter((line) => line.includes("is not started again"))
  await vi.waitFor(() => expect(reported()).not.toEqual([]), { timeout: 10_000 })
  expect(reported()).toEqual([
    `Postgres ended (SIGKILL), and is not started again. Its log is ${join(root, "unasked", "postgres", "postgres.log")}`,
  ])
  await backing.stop()
})

test("a scratch database leaves nothing", async () => {
  const backing = await start("scratch", "scratch")
  expect(await query(backing.address, "SHOW fsync")).toEqual([{ fsync: "off" }])
  await backing.stop()
  expect(await readdir(join(root, "scratch"))).toEqual([])
})

test("when its owner is killed the server ends too, and the next run has the folder", async () => {
  const directory = join(root, "orphan")
  const module = new URL("../../src/backing/index.ts", import.meta.url).href
  const owner = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `import { startPostgres } from ${JSON.stringify(module)}
       const options = { directory: ${JSON.stringify(directory)}, env: { BACKING_SERVICES: "local" } }
       const backing = await startPostgres({ ...options, durability: "persistent", progress() {} })
       console.log(backing.pid)
       setInterval(() => {}, 1000)`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  )
  onTestFinished(() => void owner.kill("SIGKILL"))
  const pid = Number(String(await once(owner.stdout, "data")))
  expect(processStartTime(pid)).toBeDefined()
  await expect(start("orphan")).rejects.toThrow(`belongs to process ${owner.pid}, which is still running`)
  owner.kill("SIGKILL")
  await gone(pid)
  const next = await start("orphan")
  await next.stop()
})

test("a server that a killed run left behind is stopped by the next one", async () => {
  const left = await start("left")
  const pid = pidOf(left)
  await query(left.address, "CREATE TABLE kept AS SELECT 7 AS n")
  const file = join(root, "left", "postgres", "claim.json")
  const claim = JSON.parse(await readFile(file, "utf8"))
  await writeFile(file, JSON.stringify({ ...claim, ownerStartTime: "of a process that has ended" }))
  const next = await start("left")
  expect(processStartTime(pid)).toBeUndefined()
  expect(lines).toContain(`stopping postgres of a run that was killed (process ${pid})`)
  expect(await query(next.address, "SELECT n FROM kept")).toEqual([{ n: 7 }])
  await next.stop()
})

test("a pid file whose number an unrelated process has now neither stops the start nor that process", async () => {
  const killed = await start("reused")
  await killed.halt("kill")
  const file = join(root, "reused", "postgres", "data", "postmaster.pid")
  // Postgres refuses to start only because of processes of its own account.
  const { uid, gid } = await stat(file)
  const bystander = spawn("sleep", ["30"], process.getuid?.() === 0 ? { uid, gid } : {})
  onTestFinished(() => void bystander.kill())
  const stale = await readFile(file, "utf8")
  await writeFile(file, stale.replace(/^\d+/, String(bystander.pid)))
  await killed.resume()
  expect(await query(killed.address, "SELECT 1 AS n")).toEqual([{ n: 1 }])
  expect(bystander.exitCode ?? bystander.signalCode).toBeNull()
  await killed.stop()
})

test("scratch folders and servers of dead runs are swept", async () => {
  const folder = join(root, "sweep", "postgres-scratch-00000000")
  await mkdir(folder, { recursive: true })
  await writeFile(
    join(folder, "claim.json"),
    JSON.stringify({ owner: process.pid, ownerStartTime: "long ago" }),
  )
  const backing = await start("sweep", "scratch")
  expect(await readdir(join(root, "sweep"))).not.toContain("postgres-scratch-00000000")
  await backing.stop()
})

test("a port that is taken is named", async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address ? address.port : 0
  await expect(start("taken", "scratch", port)).rejects.toThrow(
    `Postgres cannot use port ${port} on 127.0.0.1: another process listens on it`,
  )
  expect(await readdir(join(root, "taken"))).toEqual([])
  server.close()
})

test("a folder that only its owner may enter will do, for root too", async () => {
  await mkdir(join(root, "closed"), { mode: 0o700 })
  const backing = await start("closed/state", "scratch")
  expect(await query(backing.address, "SELECT 1 AS n")).toEqual([{ n: 1 }])
  await backing.stop()
})

test("forgetting removes kept data, and refuses while it is in use", async () => {
  const directory = join(root, "forget")
  const backing = await start("forget")
  await expect(removeBackingData({ directory, progress })).rejects.toThrow("still running")
  await backing.stop()
  await removeBackingData({ directory, progress })
  expect(await readdir(directory)).toEqual([])
})
