import { execFile } from "node:child_process"
import { stat } from "node:fs/promises"
import { dirname } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

/** `wrap` is a command line that switches to this account and then runs a program in the same process. */
export type Account = { uid: number; gid: number; wrap?: readonly string[] }

export function underAccount(account: Account | undefined, command: string, args: readonly string[]) {
  const [program, ...before] = account?.wrap ?? []
  if (program) return { command: program, args: [...before, command, ...args], ids: {} }
  return { command, args, ids: account ? { uid: account.uid, gid: account.gid } : {} }
}

/**
 * Postgres refuses to run as root, the usual user in containers and CI. If this process is root, returns
 * another account: the owner of the existing data, or else `postgres` or `nobody`. Throws if the account
 * cannot enter one of `paths`.
 */
export async function accountForPostgres(
  data: string,
  paths: readonly string[],
): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const ids = await chooseIds(data)
  const closed = await closedTo(ids, paths)
  if (!closed) return ids
  for (const wrap of capabilityWraps(ids)) {
    if (!(await closedTo({ ...ids, wrap }, paths))) return { ...ids, wrap }
  }
  throw new Error(
    `Postgres does not run as root, and the account that it runs under instead (uid ${ids.uid}) cannot enter ${closed}. Start as the user who owns the folder, clone to a folder that everybody may enter, or set DATABASE_URL to your own Postgres.`,
  )
}

async function chooseIds(data: string) {
  const existing = await stat(data).catch(() => undefined)
  if (existing && existing.uid !== 0) return { uid: existing.uid, gid: existing.gid }
  for (const name of ["postgres", "nobody"]) {
    const ids = await Promise.all([run("id", ["-u", name]), run("id", ["-g", name])]).catch(() => undefined)
    if (ids) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) }
  }
  throw new Error(
    "Postgres does not run as root, and there is no account postgres or nobody to run it under. Start as another user, or set DATABASE_URL to your own Postgres.",
  )
}

/**
 * Returns two command lines to try if the account cannot enter a folder: only root can enter a checkout below
 * /root. Each gives the account a capability (a part of root's rights) that opens all folders. Containers
 * withhold dac_read_search, but grant dac_override. Without no_setuid_fixup, access() would ignore the
 * capability.
 */
function capabilityWraps({ uid, gid }: { uid: number; gid: number }) {
  return ["dac_read_search", "dac_override"].map((right) => [
    "setpriv",
    `--reuid=${uid}`,
    `--regid=${gid}`,
    "--clear-groups",
    "--securebits=+no_setuid_fixup",
    `--inh-caps=-all,+${right}`,
    `--ambient-caps=+${right}`,
    "--",
  ])
}

async function closedTo(account: Account, paths: readonly string[]): Promise<string | undefined> {
  const folders = new Set<string>()
  for (const path of paths) {
    for (let folder = path; !folders.has(folder); folder = dirname(folder)) folders.add(folder)
  }
  const outermostFirst = [...folders].sort((a, b) => a.length - b.length)
  const script = 'for f in "$@"; do test -x "$f" || { echo "$f"; exit 1; }; done'
  const { command, args, ids } = underAccount(account, "/bin/sh", ["-c", script, "sh", ...outermostFirst])
  return run(command, args, { ...ids, cwd: "/" }).then(
    () => undefined,
    (error) => String(error.stdout ?? "").trim() || "one of its folders",
  )
}
