import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { type LocalService, signalIfRunning } from "@sitewire/testkit/backing"

/** Pauses a server and its child processes (Postgres has one for each connection): connections stay open, but nothing responds. */
export async function freeze(
  server: Pick<LocalService, "pid" | "halt" | "resume">,
): Promise<() => Promise<void>> {
  const { pid } = server
  // Without a process, as in tests of the faults, it is stopped. Id 0 would be this run's process group.
  if (!pid) {
    await server.halt("orderly")
    return () => server.resume()
  }
  // The server is paused before its children, so that it starts no more of them.
  process.kill(pid, "SIGSTOP")
  // pgrep exits with 1 if there are no children.
  const listed = await promisify(execFile)("pgrep", ["-P", String(pid)]).catch(() => ({ stdout: "" }))
  const frozen = [...listed.stdout.split("\n").filter(Boolean).map(Number), pid]
  for (const one of frozen) signalIfRunning(one, "SIGSTOP")
  return async () => {
    for (const one of frozen) signalIfRunning(one, "SIGCONT")
  }
}
