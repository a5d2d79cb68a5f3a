import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { type StartedBackingService, signalIfRunning } from "@sitewire/testkit/backing"

/**
 * Pauses a server and its child processes (Postgres has one for each connection): connections stay open, but
 * nothing responds. A server in Docker is stopped instead.
 */
export async function freeze(server: StartedBackingService): Promise<() => Promise<void>> {
  const { pid } = server
  // A server in Docker has no process id. Id 0 would be this run's process group.
  if (!pid) {
    await server.halt("orderly")
    return () => server.resume()
  }
  // The server is paused before its children, so that it starts no more of them.
  process.kill(pid, "SIGSTOP")
  const frozen = [...(await childrenOf(pid)), pid]
  for (const one of frozen) signalIfRunning(one, "SIGSTOP")
  return async () => {
    for (const one of frozen) signalIfRunning(one, "SIGCONT")
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  // pgrep exits with 1 if there are no children.
  const listed = await promisify(execFile)("pgrep", ["-P", String(pid)]).catch(() => ({ stdout: "" }))
  return listed.stdout.split("\n").filter(Boolean).map(Number)
}
