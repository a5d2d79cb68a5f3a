import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { StartedBackingService } from "@sitewire/backing"

/**
 * Pauses a server and the processes that it has started, as Postgres does for each connection: its connections stay open and
 * nothing answers. Returns how to end that. Docker's have no process of ours: such a server is stopped instead.
 */
export async function freeze(server: StartedBackingService): Promise<() => Promise<void>> {
  const { pid } = server
  // 0 would be all of this run's own processes.
  if (!pid) {
    await server.halt("orderly")
    return () => server.resume()
  }
  // The server first: it starts no more processes then.
  process.kill(pid, "SIGSTOP")
  const frozen = [...(await childrenOf(pid)), pid]
  for (const one of frozen) signalIfAlive(one, "SIGSTOP")
  return async () => {
    for (const one of frozen) signalIfAlive(one, "SIGCONT")
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  // Exits with 1 where there are none.
  const listed = await promisify(execFile)("pgrep", ["-P", String(pid)]).catch(() => ({ stdout: "" }))
  return listed.stdout.split("\n").filter(Boolean).map(Number)
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}
