import { execFile } from "node:child_process"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import type { StartedProcess } from "@sitewire/testkit"

export type Services = {
  start(main: string, env: Record<string, string>): Promise<StartedProcess>
  /** Applies the migrations and creates the topics. */
  setUp(env: Record<string, string>): Promise<void>
}

/**
 * The services of the checkout in `folder`, with its own dependencies, its own migrations and its own settings of V8.
 * So one bench measures two versions of the services.
 */
export async function servicesOf(folder: string): Promise<Services> {
  const root = resolve(folder)
  const starter = pathToFileURL(join(root, "packages/installation/src/process/startProcess.ts"))
  const { startProcess } = (await import(starter.href)) as Pick<
    typeof import("@sitewire/testkit"),
    "startProcess"
  >
  return {
    start: startProcess,
    async setUp(env) {
      const main = join(root, "packages/setup/src/main.ts")
      const options = { cwd: root, env: { PATH: process.env.PATH, ...env } }
      await promisify(execFile)(process.execPath, [main], options).catch(
        ({ stderr }: { stderr?: string }) => {
          const why = /^\w*Error: .*$/m.exec(stderr ?? "")?.[0] ?? stderr
          throw new Error(`The setup job of ${root} failed: ${why}`)
        },
      )
    },
  }
}
