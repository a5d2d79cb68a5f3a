import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

/** The path of a program in a folder of PATH. If there is none, throws with `advice`: how to install it. */
export function findProgram(name: string, advice: string): string {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, name)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // Not in this folder of PATH.
    }
  }
  throw new Error(`${name} is not installed. ${advice}`)
}

/** The path of uv, which installs Python packages in a tenth of pip's time. Throws with advice if it is not there, or no Python. */
export function findUv(): string {
  findProgram("python3", "Install Python 3.10 or newer.")
  return findProgram("uv", "Install it: pipx install uv.")
}
