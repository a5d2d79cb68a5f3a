import { rm } from "node:fs/promises"
import { readArguments } from "@sitewire/runtime"
import { removeBackingData } from "@sitewire/testkit/backing"
import { printFailure } from "./command/printFailure.ts"
import { progress } from "./command/progress.ts"
import { dataFolder, localFile, logsFolder, prometheusFolder, secretsFile } from "./folders.ts"
import { readRunningInstallation } from "./state/readRunningInstallation.ts"

readArguments(
  {},
  "npm run reset: deletes all local data of Sitewire: events, deliveries, channels, secrets, logs and metrics.",
  { allowPositionals: false },
)

try {
  const running = await readRunningInstallation()
  if (running) {
    throw new Error(
      `Sitewire is running (process ${running.processes.supervisor}). Stop it first with Ctrl-C.`,
    )
  }
  await removeBackingData({ directory: dataFolder, env: process.env, progress })
  for (const path of [localFile, secretsFile, logsFolder, prometheusFolder])
    await rm(path, { recursive: true, force: true })
  progress("all local data is deleted; downloaded files are left")
} catch (error) {
  printFailure("The local data could not be deleted", error)
  process.exit(1)
}
