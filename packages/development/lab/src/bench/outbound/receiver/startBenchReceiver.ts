import type { Installation } from "../../installation/startBenchInstallation.ts"
import type { Taken } from "./receiverProcess.ts"

export async function startReceiving(it: Installation) {
  const receiver = await it.helper("packages/development/lab/src/bench/outbound/receiver/receiverProcess.ts")
  const url = receiver.addresses.receiver ?? ""
  const call = async (path: string): Promise<unknown> => {
    const response = await fetch(`${url}${path}`)
    return response.json()
  }
  return {
    url,
    /** Resolves when there are `amount` responses since the last `take`, with their count. */
    reached: async (amount: number) => ((await call(`/reached/${amount}`)) as { count: number }).count,
    take: async () => (await call("/take")) as Taken,
    noneHangs: async () => void (await call("/none-hangs")),
    end: () => receiver.end("SIGKILL"),
  }
}

export type Receiving = Awaited<ReturnType<typeof startReceiving>>
