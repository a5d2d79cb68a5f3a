import type { Installation } from "../../installation/startBenchInstallation.ts"
import type { Taken } from "./receiverProcess.ts"

/** Starts the receiver, and says how to ask it. */
export async function startReceiving(it: Installation) {
  const receiver = await it.helper("packages/bench/src/outbound/receiver/receiverProcess.ts")
  const url = receiver.addresses.receiver ?? ""
  const ask = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${url}${path}`)
    return answer.json()
  }
  return {
    url,
    /** Resolves once so many requests were answered since the last `take`; with how many it was then. */
    reached: async (amount: number) => ((await ask(`/reached/${amount}`)) as { count: number }).count,
    /** What came since the last call; begins anew. */
    take: async () => (await ask("/take")) as Taken,
    /** Resolves once no request hangs. */
    noneHangs: async () => void (await ask("/none-hangs")),
    end: () => receiver.end("SIGKILL"),
  }
}

export type Receiving = Awaited<ReturnType<typeof startReceiving>>
