import { endWithinMs } from "../../deadlines.ts"
import type { Folder } from "../claimFolder.ts"
import { pickPort } from "../pickPort.ts"
import type { LocalService } from "../types.ts"
import type { Running } from "./launchServer.ts"

/** Starts a server that may be halted, and started again at its port. */
export async function haltable(server: {
  service: string
  folder: Folder
  address: string
  port: number
  endWith: NodeJS.Signals
  start: () => Promise<Running>
}): Promise<LocalService> {
  const { service, folder, address, port, endWith, start } = server
  let running: Running | undefined = await start()
  const end = async (signal: NodeJS.Signals) => {
    const ending = running
    running = undefined
    await ending?.end(signal, endWithinMs)
  }
  return {
    kind: "local",
    address,
    get pid() {
      return running?.pid
    },
    stop: async () => {
      await end(endWith)
      await folder.release()
    },
    halt: (how = "orderly") => end(how === "kill" ? "SIGKILL" : endWith),
    resume: async () => {
      if (running) return
      await pickPort({ wanted: port, service })
      running = await start()
    },
  }
}
