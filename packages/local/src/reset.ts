import { rm } from "node:fs/promises"
import { forgetBackingServices } from "@sitewire/backing"
import { explain } from "./command/printFailure.ts"
import { dataFolder, localFile, logsFolder, secretsFile } from "./folders.ts"
import { progress } from "./command/progress.ts"
import { runningStack } from "./state/readRunningInstallation.ts"
import { takeNoArguments } from "./command/rejectArguments.ts"

takeNoArguments(
  "npm run reset: drops all local data of Sitewire: events, deliveries, channels, secrets and logs.",
)

try {
  const running = await runningStack()
  if (running) {
    throw new Error(
      `Sitewire is running (process ${running.processes.supervisor}). Stop it first with Ctrl-C.`,
    )
  }
  await forgetBackingServices({ directory: dataFolder, env: process.env, progress })
  for (const path of [localFile, secretsFile, logsFolder]) await rm(path, { recursive: true, force: true })
  progress("all local data is dropped; what was downloaded stays")
} catch (error) {
  explain("The local data could not be dropped", error)
  process.exit(1)
}
