import { createClient } from "@sitewire/cli"
import { readConfig } from "@sitewire/runtime"
import { tellInbound } from "./demo/inbound.ts"
import { tellOutbound } from "./demo/outbound.ts"
import { createStory } from "./demo/story.ts"
import { explain } from "./command/printFailure.ts"
import { partnerClient } from "./partner/client.ts"
import { progress } from "./command/progress.ts"
import { runningStack } from "./state/readRunningInstallation.ts"
import { type Stack, startStack } from "./startLocalInstallation.ts"
import { takeNoArguments } from "./command/rejectArguments.ts"
import { localVariables } from "./variables.ts"

takeNoArguments(
  "npm run demo: tells both flows as a story, in under two minutes; fails if anything did not hold.",
)

let own: Stack | undefined

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    progress("stopping")
    void Promise.resolve(own?.stop()).then(() => process.exit(130))
  })
}

try {
  let local = await runningStack()
  if (!local) {
    progress("Sitewire is not running; starting it for the demo")
    own = await startStack(readConfig(localVariables, process.env))
    local = own.local
  }
  const story = createStory()
  const cast = {
    local,
    client: createClient({ api: local.console, key: local.apiKey }),
    partner: partnerClient(local.partner),
    story,
  }
  await tellOutbound(cast)
  await tellInbound(cast)
  process.stdout.write(`\nAll of it held, in ${story.seconds().toFixed(0)} s.\n`)
} catch (error) {
  explain("The demo failed", error)
  process.exitCode = 1
} finally {
  await own?.stop()
  process.exit()
}
