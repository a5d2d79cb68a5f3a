import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { waitUntil } from "@sitewire/testkit"
import { pickPort } from "@sitewire/testkit/backing"
import { shortLivedJava } from "../release/buildArtifact.ts"
import { runScript } from "./runScript.ts"

const kit = join(import.meta.dirname, "..")
const root = join(kit, "..")
export const examples = join(kit, "examples")

/**
 * `example.json`: shell commands. `install` runs in an empty copy of the example, and finds the library's archive, which its
 * `pack.sh` makes, in `$KIT`. `$ROOT` is the repository.
 */
export type Example = { needs: string[]; install: string; start: string }

export const readExample = (name: string): Example =>
  JSON.parse(readFileSync(join(examples, name, "example.json"), "utf8"))

/** Installs the example from the archive of its library, which is in the folder `KIT`. Returns the example's folder. */
export async function installExample(name: string, KIT: string): Promise<string> {
  const app = mkdtempSync(join(tmpdir(), "sitewire-example-"))
  cpSync(join(examples, name), app, {
    recursive: true,
    filter: (path) => !["node_modules", ".work", "target", "vendor"].includes(basename(path)),
  })
  const { code, output } = await runScript(readExample(name).install, app, { KIT, ROOT: root })
  if (code !== 0) throw new Error(`the installation of ${name} ended with ${code}:\n${output}`)
  return app
}

/** Starts an installed example, and waits until it listens or has ended. */
export async function startExample(name: string, app: string, env: Record<string, string>) {
  const port = await pickPort({ wanted: 0, service: name })
  const origin = `http://127.0.0.1:${port}`
  return startReceiver(name, {
    script: readExample(name).start,
    app,
    origin,
    env: { ROOT: root, PORT: String(port), ...env },
  })
}

/** Runs a script, and waits until its receiver listens or it has ended. */
export async function startReceiver(
  name: string,
  { script, app, origin, env }: { script: string; app: string; origin: string; env: Record<string, string> },
) {
  // A process group of its own, because a framework's command may start another process.
  const child = spawn("sh", ["-ec", script], {
    cwd: app,
    detached: true,
    env: { ...process.env, ...shortLivedJava, ...env },
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text))
  let exitCode: number | null = null
  const exited = once(child, "exit").then(([code]) => (exitCode = code ?? -1))
  await waitUntil(`${name} to listen`, async () => {
    if (exitCode !== null) return true
    return await fetch(`${origin}/sites`).then(
      () => true,
      () => false,
    )
  })
  return {
    origin,
    exitCode: () => exitCode,
    output: () => output,
    async end() {
      if (exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
      await exited
    },
  }
}
