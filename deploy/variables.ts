import { consoleVariables } from "../packages/console/src/config.ts"
import { setupVariables } from "../packages/database/src/setup/config.ts"
import { processVariables, type Variables } from "../packages/runtime/src/index.ts"
// biome-ignore lint/style/noRestrictedImports: the manifests are compared with the variables that the services declare.
import { schedulerVariables } from "../services/sync-scheduler/src/config.ts"
// biome-ignore lint/style/noRestrictedImports: as above
import { gatewayVariables } from "../services/trigger-gateway/src/config.ts"
// biome-ignore lint/style/noRestrictedImports: as above
import { dispatcherVariables } from "../services/webhook-dispatcher/src/config.ts"

/** The variables of each process. */
export const declared = new Map<string, Variables>([
  ["setup", setupVariables],
  ["trigger-gateway", gatewayVariables],
  ["sync-scheduler", schedulerVariables],
  ["webhook-dispatcher", dispatcherVariables],
  ["console", { ...processVariables, ...consoleVariables }],
])
