import type { Installation } from "../../installation/startBenchInstallation.ts"
import type { Taken } from "./receiverProcess.ts"

/** Starts the receiver process. */
export async function startReceiving(it: Installation) {
  const receiver = await it.helper("packages/bench/src/outbound/receiver/receiverProcess.ts")
  const url = receiver.addresses.receiver ?? ""
  const call = async (path: string): Promise<unknown> => {
    const response = await fetch(`${url}${path}`)
    return response.json()
  }
  return {
    url,
    /** Resolves with the count of responses since the last `take`, once there are `amount`. */
    reached: async (amount: number) => ((await call(`/reached/${amount}`)) as { count: number }).count,
    /** Everything since the last call. */
    take: async () => (await call("/take")) as Taken,
    /** Resolves once no request hangs. */
    noneHangs: async () => void (await call("/none-hangs")),
    end: () => receiver.end("SIGKILL"),
  }
}

export type Receiving = Awaited<ReturnType<typeof startReceiving>>
