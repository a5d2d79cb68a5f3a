import { runForResult } from "../../measure/runForResult.ts"
import { concurrency } from "../concurrency.ts"
import { warmUp } from "../load/deliverBacklog.ts"

export type BareRequests = { perSecond: number; cpuMs: number }

export async function bareRequests(
  url: string,
  amount: number,
  progress: (line: string) => void,
): Promise<BareRequests> {
  const args = [url, String(amount), String(warmUp), String(concurrency)]
  const { perSecond, cpuMs } = await runForResult<BareRequests>(new URL("bareLoop.ts", import.meta.url), args)
  progress(`bare loop: ${Math.round(perSecond)} requests/s, ${cpuMs.toFixed(4)} ms of CPU for each`)
  return { perSecond, cpuMs }
}
