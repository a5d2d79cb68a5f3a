import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { progress } from "./command/progress.ts"
import { root } from "./folders.ts"

/**
 * Builds the page of the web console, unless turbo has the build of these sources in its cache. If that fails, the
 * rest of Sitewire works without the page.
 */
export async function buildWebConsole(): Promise<void> {
  const turbo = join(root, "node_modules/turbo/bin/turbo")
  try {
    const args = [turbo, "run", "build", "--filter=@sitewire/web"]
    await promisify(execFile)(process.execPath, args, { cwd: root })
    progress("the web console is built")
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string }
    progress(`the web console could not be built, and everything else works without it:\n${stdout}${stderr}`)
  }
}
