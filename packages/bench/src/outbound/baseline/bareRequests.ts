import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { concurrency } from "../concurrency.ts"
import { warmUp } from "../load/deliverBacklog.ts"

export type BareRequests = { perSecond: number; cpuMs: number }

/** Runs the bare loop in a process of its own: its requests a second, and the CPU time of one. */
export async function bareRequests(
  url: string,
  amount: number,
  progress: (line: string) => void,
): Promise<BareRequests> {
  const main = fileURLToPath(new URL("bareLoop.ts", import.meta.url))
  const child = fork(main, [url, String(amount), String(warmUp), String(concurrency)])
  const [message] = await once(child, "message")
  const { perSecond, cpuMs } = (message as { result: BareRequests }).result
  progress(`bare loop: ${Math.round(perSecond)} requests/s, ${cpuMs.toFixed(4)} ms of CPU for each`)
  return { perSecond, cpuMs }
}
