import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

/** The path of `prometheus` or `promtool`. Throws with advice if it is not installed. */
export function findTool(name: "prometheus" | "promtool"): string {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, name)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // Not in this folder of PATH.
    }
  }
  throw new Error(
    `${name} is not installed. Install Prometheus (Debian and Ubuntu: apt-get install prometheus, macOS: brew install ` +
      "prometheus), or add the folder of its programs to PATH.",
  )
}
