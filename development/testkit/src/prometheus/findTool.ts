import { findProgram } from "../findProgram.ts"

/** The path of `prometheus` or `promtool`. Throws with advice if it is not installed. */
export function findTool(name: "prometheus" | "promtool"): string {
  return findProgram(
    name,
    "Install Prometheus (Debian and Ubuntu: apt-get install prometheus, macOS: brew install prometheus), or add the " +
      "folder of its programs to PATH.",
  )
}
