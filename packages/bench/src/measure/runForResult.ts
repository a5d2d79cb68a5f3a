import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

/**
 * Runs a baseline or a load generator as a process and returns the result that the process sends. Unlike a
 * service, the process gets Node's default arguments.
 */
export async function runForResult<Result>(
  file: URL,
  args: readonly string[],
  message?: object,
): Promise<Result> {
  const child = fork(fileURLToPath(file), [...args])
  if (message) child.send(message)
  const [received] = await once(child, "message")
  return (received as { result: Result }).result
}
