import { rm } from "node:fs/promises"
import { readArguments } from "@sitewire/runtime"
import { removeBackingData } from "@sitewire/testkit/backing"
import { printFailure, progress } from "./command.ts"
import {
  dataFolder,
  localFile,
  logsFolder,
  prometheusFolder,
  readRunningInstallation,
  secretsFile,
} from "./state.ts"

const what = "deletes all local data of Sitewire: events, deliveries, channels, secrets, logs and metrics."
readArguments({}, `npm run reset: ${what}`, { allowPositionals: false })

try {
  const running = await readRunningInstallation()
  if (running)
    throw new Error(
      `Sitewire is running (process ${running.processes.supervisor}). Stop it first with Ctrl-C.`,
    )
  await removeBackingData({ directory: dataFolder, progress })
  for (const path of [localFile, secretsFile, logsFolder, prometheusFolder])
    await rm(path, { recursive: true, force: true })
  progress("all local data is deleted; downloaded files are left")
} catch (error) {
  printFailure("The local data could not be deleted", error)
  process.exit(1)
}
