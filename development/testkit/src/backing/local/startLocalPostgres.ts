import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { chown, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { readyWithinMs } from "../../deadlines.ts"
import { endSignal, type Folder } from "../claimFolder.ts"
import { pickPort } from "../pickPort.ts"
import type { BackingOptions, LocalService } from "../types.ts"
import { haltable } from "./haltable.ts"
import { launchServer } from "./launchServer.ts"
import { type Account, accountForPostgres, underAccount } from "./postgresAccount.ts"
import { postgresBinaries } from "./postgresBinaries.ts"

/** The name of the database and of its superuser. */
export const postgresName = "sitewire"

/** With Postgres's builtin locale provider, strings are sorted in the same way on every machine. */
const initdbArgs = ["-U", postgresName, "-E", "UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]

/**
 * Settings for tests, whose data may be lost if the machine crashes. Tests would take twice as long with
 * fsync.
 */
export const unsafe = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]

/** Postgres listens on TCP only: a socket's path may be too long, or in a folder that the account cannot enter. */
const only = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200"]
const settings = only.flatMap((setting) => ["-c", setting])

export async function startLocalPostgres(
  options: { folder: Folder; password: string } & Pick<
    BackingOptions,
    "port" | "durability" | "onUnaskedEnd"
  >,
): Promise<LocalService> {
  const { folder, password, port: wanted, durability, onUnaskedEnd } = options
  const { initdb, postgres } = await postgresBinaries()
  const data = join(folder.path, "data")
  const account = await accountForPostgres(data, [folder.path, initdb])
  if (account) await chown(folder.path, account.uid, account.gid)
  const run = { cwd: folder.path, env: { LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin" }, account }
  if (!existsSync(join(data, "PG_VERSION")))
    await initialise({ initdb, postgres, data, password, durability }, run)
  const port = await pickPort({ wanted, service: "Postgres" })

  const launchOnce = async () => {
    // Of a killed server. Postgres would not start if another process of its account now had the recorded id.
    await rm(join(data, "postmaster.pid"), { force: true })
    return launchServer({
      ...run,
      what: "Postgres",
      command: postgres,
      args: ["-D", data, "-p", String(port), ...settings, ...(durability === "scratch" ? unsafe : [])],
      log: join(folder.path, "postgres.log"),
      endWith: endSignal.postgres,
      started: folder.record,
      ready: (pid) => isReady(data, pid),
      onUnaskedEnd,
    })
  }

  const start = async () => {
    for (const until = Date.now() + readyWithinMs; ; await sleep(100)) {
      try {
        return await launchOnce()
      } catch (error) {
        // The child processes of a killed postmaster end moments later, and no new one can start until then.
        if (!/pre-existing shared memory block/.test(String(error)) || Date.now() > until) throw error
      }
    }
  }

  const address = `postgres://${postgresName}:${password}@127.0.0.1:${port}/${postgresName}`
  return haltable({ service: "Postgres", folder, address, port, endWith: endSignal.postgres, start })
}

/** Initialises a temporary folder and then renames it, so that an interrupted initialisation is repeated. */
async function initialise(
  {
    initdb,
    postgres,
    data,
    password,
    durability,
  }: Record<"initdb" | "postgres" | "data" | "password", string> & Pick<BackingOptions, "durability">,
  run: Run,
) {
  const fresh = `${data}.new`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { mode: 0o700 })
  const passwordFile = `${data}.password`
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (run.account) {
    await chown(fresh, run.account.uid, run.account.gid)
    await chown(passwordFile, run.account.uid, run.account.gid)
  }
  // Logins need a password, because other accounts of the machine can reach the port.
  const args = ["-D", fresh, ...initdbArgs, "--auth=scram-sha-256", `--pwfile=${passwordFile}`, "--no-sync"]
  await runToEnd(run, initdb, [...args, "--no-instructions"])
  await rm(passwordFile)
  const single = ["--single", "-D", fresh, ...(durability === "scratch" ? unsafe : []), "postgres"]
  await runToEnd(run, postgres, single, `CREATE DATABASE ${postgresName}\n`)
  await rename(fresh, data)
}

type Run = { cwd: string; env: Record<string, string>; account: Account | undefined }

async function runToEnd({ cwd, env, account }: Run, command: string, args: readonly string[], input = "") {
  const under = underAccount(account, command, args)
  const options = { cwd, env, ...under.ids, stdio: "pipe" } as const
  const child = spawn(under.command, under.args, options)
  let printed = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      printed += chunk
    })
  }
  child.stdin.on("error", () => {})
  child.stdin.end(input)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", resolve)
  })
  // After a failed statement, single-user mode still exits with 0.
  if (code !== 0 || /\b(ERROR|FATAL):/.test(printed)) {
    throw new Error(`${command} failed (exit ${code}):\n${printed.trim().split("\n").slice(-15).join("\n")}`)
  }
}

/** Does what pg_ctl does: line 8 of postmaster.pid is "ready" when Postgres accepts connections. */
async function isReady(data: string, pid: number) {
  const lines = (await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "")).split("\n")
  return Number(lines[0]) === pid && lines[7]?.trim() === "ready"
}
