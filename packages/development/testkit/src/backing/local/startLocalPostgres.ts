import { spawn } from "node:child_process"
import { chown, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { endWithinMs, readyWithinMs } from "../../deadlines.ts"
import { endSignal, type Folder } from "../claimFolder.ts"
import { pickPort } from "../pickPort.ts"
import type { BackingOptions, StartedBackingService } from "../types.ts"
import { launchServer, type Running } from "./launchServer.ts"
import { type Account, accountForPostgres, underAccount } from "./postgresAccount.ts"
import { postgresBinaries } from "./postgresBinaries.ts"
import { runsWith } from "./processes.ts"

/** The name of the database and of its superuser. */
export const postgresName = "sitewire"

/** With Postgres's builtin locale provider, strings are sorted in the same way on every machine. */
const initdbArgs = ["-U", postgresName, "-E", "UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]

/**
 * Settings for tests, whose data may be lost if the machine crashes. Tests would take twice as long with
 * fsync.
 */
const unsafe = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]

export async function startLocalPostgres({
  folder,
  password,
  port: wanted,
  durability,
}: { folder: Folder; password: string } & Pick<
  BackingOptions,
  "port" | "durability"
>): Promise<StartedBackingService> {
  const { initdb, postgres } = await postgresBinaries()
  const data = join(folder.path, "data")
  const account = await accountForPostgres(data, [folder.path, initdb])
  if (account) await chown(folder.path, account.uid, account.gid)
  const run = { cwd: folder.path, env: { LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin" }, account }
  if (!(await exists(join(data, "PG_VERSION")))) {
    await initialise({ initdb, postgres, data, password, durability, ...run })
  }
  const port = await pickPort({ wanted, service: "Postgres" })

  const launchOnce = async () => {
    await removeStalePidFile(data)
    return launchServer({
      ...run,
      what: "Postgres",
      command: postgres,
      args: [
        "-D",
        data,
        "-p",
        String(port),
        "-c",
        "listen_addresses=127.0.0.1",
        // Postgres listens on TCP only: a socket's path may be too long, or in a folder that the account
        // cannot enter.
        "-c",
        "unix_socket_directories=",
        "-c",
        "max_connections=200",
        ...(durability === "scratch" ? unsafe : []),
      ],
      log: join(folder.path, "postgres.log"),
      endWith: endSignal.postgres,
      started: (pid) => folder.record(pid, data),
      ready: (pid) => isReady(data, pid),
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

  let running: Running | undefined = await start()
  const end = async (signal: NodeJS.Signals, deadlineMs: number) => {
    const ending = running
    running = undefined
    await ending?.end(signal, deadlineMs)
  }
  return {
    kind: "local",
    address: `postgres://${postgresName}:${password}@127.0.0.1:${port}/${postgresName}`,
    get pid() {
      return running?.pid
    },
    stop: async () => {
      await end(endSignal.postgres, endWithinMs)
      await folder.release()
    },
    halt: async (how = "orderly") => {
      await end(how === "kill" ? "SIGKILL" : endSignal.postgres, endWithinMs)
    },
    resume: async () => {
      if (running) return
      await pickPort({ wanted: port, service: "Postgres" })
      running = await start()
    },
  }
}

/** Initialises a temporary folder and then renames it, so that an interrupted initialisation is repeated. */
async function initialise({
  initdb,
  postgres,
  data,
  password,
  durability,
  ...run
}: {
  initdb: string
  postgres: string
  data: string
  password: string
  durability: "persistent" | "scratch"
  cwd: string
  env: Record<string, string>
  account: Account | undefined
}) {
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
  await runToEnd({ ...run, command: initdb, args: [...args, "--no-instructions"], input: "" })
  await rm(passwordFile)
  const single = ["--single", "-D", fresh, ...(durability === "scratch" ? unsafe : []), "postgres"]
  await runToEnd({ ...run, command: postgres, args: single, input: `CREATE DATABASE ${postgresName}\n` })
  await rename(fresh, data)
}

async function runToEnd({
  command,
  args,
  input,
  cwd,
  env,
  account,
}: {
  command: string
  args: readonly string[]
  input: string
  cwd: string
  env: Record<string, string>
  account: Account | undefined
}) {
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
  const lines = (await readPidFile(data))?.split("\n")
  return Number(lines?.[0]) === pid && lines?.[7]?.trim() === "ready"
}

/**
 * Removes the pid file of a killed server. Postgres would not start if another process of its account now had
 * the recorded id, which is likely after a restart of a container.
 */
async function removeStalePidFile(data: string) {
  const pid = Number((await readPidFile(data))?.split("\n")[0])
  if (pid && !runsWith(pid, data)) await rm(join(data, "postmaster.pid"), { force: true })
}

function readPidFile(data: string) {
  return readFile(join(data, "postmaster.pid"), "utf8").catch(() => undefined)
}

function exists(path: string) {
  return readFile(path).then(
    () => true,
    () => false,
  )
}
