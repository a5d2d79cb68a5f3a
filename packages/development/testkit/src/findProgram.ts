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
