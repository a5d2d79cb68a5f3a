import { createClient } from "@sitewire/cli"
import { readArguments, readConfig } from "@sitewire/runtime"
import { printFailure, progress } from "./command.ts"
import { localVariables } from "./config.ts"
import { demonstrateInbound } from "./demo/inbound.ts"
import { demonstrateOutbound } from "./demo/outbound.ts"
import { createStory } from "./demo/story.ts"
import { partnerClient } from "./partner/client.ts"
import { type LocalInstallation, startLocalInstallation } from "./startLocalInstallation.ts"
import { readRunningInstallation } from "./state.ts"

const usage = "npm run demo: shows both flows step by step, in under two minutes; fails if a check fails."
readArguments({}, usage, { allowPositionals: false })

let own: LocalInstallation | undefined

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    progress("stopping")
    void Promise.resolve(own?.stop()).then(() => process.exit(130))
  })
}

try {
  let local = await readRunningInstallation()
  if (!local) {
    progress("Sitewire is not running; starting it for the demo")
    own = await startLocalInstallation(readConfig(localVariables, process.env))
    local = own.local
  }
  const story = createStory()
  const cast = {
    local,
    client: createClient({ api: local.console, key: local.apiKey }),
    partner: partnerClient(local.partner),
    story,
  }
  await demonstrateOutbound(cast)
  await demonstrateInbound(cast)
  process.stdout.write(`\nAll checks passed, in ${story.seconds().toFixed(0)} s.\n`)
} catch (error) {
  printFailure("The demo failed", error)
  process.exitCode = 1
} finally {
  await own?.stop()
  process.exit()
}
