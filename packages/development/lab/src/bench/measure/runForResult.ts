import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

/**
 * Runs a baseline or a load generator as a process, with Node's default arguments, and returns the result
 * that it sends.
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
