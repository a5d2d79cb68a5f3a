import { runService } from "@sitewire/runtime"
import { dispatcherVariables } from "./config.ts"
import { startDispatcher } from "./startDispatcher.ts"

await runService({
  name: "webhook-dispatcher",
  variables: dispatcherVariables,
  checks: ["postgres"],
  start: startDispatcher,
})
