import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { describeVariables, type VariableDescription } from "@sitewire/runtime"
import { root } from "../folders.ts"
import { localVariables } from "../variables.ts"

export type ProcessVariables = { name: string; variables: VariableDescription[] }

const mains = {
  "trigger-gateway": "services/trigger-gateway/src/main.ts",
  "sync-scheduler": "services/sync-scheduler/src/main.ts",
  "webhook-dispatcher": "services/webhook-dispatcher/src/main.ts",
  console: "packages/console/src/main.ts",
  setup: "packages/setup/src/main.ts",
}

/**
 * What each process reads from its environment. Asked of the processes themselves and not imported: nothing imports a
 * service, and what a process says of itself is what it does.
 */
export function readProcesses(): Promise<ProcessVariables[]> {
  return Promise.all(
    Object.entries(mains).map(async ([name, main]) => {
      const { stdout } = await promisify(execFile)(process.execPath, [main, "--help", "--json"], {
        cwd: root,
      })
      return { name, variables: JSON.parse(stdout) as VariableDescription[] }
    }),
  )
}

/** The same for `npm start`. */
export function readLocal(): VariableDescription[] {
  return describeVariables(localVariables)
}
