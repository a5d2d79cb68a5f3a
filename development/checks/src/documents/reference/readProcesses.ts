import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { VariableDescription } from "@sitewire/runtime"

export type ProcessVariables = { name: string; main: string; variables: VariableDescription[] }

const mains = {
  "trigger-gateway": "services/trigger-gateway/src/main.ts",
  "sync-scheduler": "services/sync-scheduler/src/main.ts",
  "webhook-dispatcher": "services/webhook-dispatcher/src/main.ts",
  console: "packages/console/src/main.ts",
  setup: "packages/database/src/setup/main.ts",
}

/**
 * Runs each process with `--help --json` to learn its environment variables, because packages may not import
 * services.
 */
export function readProcesses(root: URL): Promise<ProcessVariables[]> {
  return Promise.all(
    Object.entries(mains).map(async ([name, main]) => {
      const { stdout } = await promisify(execFile)(process.execPath, [main, "--help", "--json"], {
        cwd: root,
      })
      return { name, main, variables: JSON.parse(stdout) as VariableDescription[] }
    }),
  )
}
