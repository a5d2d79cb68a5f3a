import { execFileSync } from "node:child_process"
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

/** The path of a Python that can make virtual environments. Throws with advice if there is none. */
export function findPython(): string {
  const advice = "Install Python 3.10 or newer with venv (Debian: apt-get install python3-venv)."
  const python = findProgram("python3", advice)
  try {
    execFileSync(python, ["-c", "import venv, ensurepip"], { stdio: "ignore" })
  } catch {
    throw new Error(`python3 cannot make virtual environments. ${advice}`)
  }
  return python
}
