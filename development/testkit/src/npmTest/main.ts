import { spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/*
 * `npm test`, `npm run test:extended` and `npm run test:all`: run vitest on one suite, or both. All other arguments are
 * vitest's, such as a folder, a file, or `-t <name>`.
 */

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const vitest = join(root, "node_modules/vitest/vitest.mjs")
const [suite = "all", ...args] = process.argv.slice(2)

// Ctrl-C reaches vitest, too, which then stops the servers.
const child = spawn(process.execPath, [vitest, "run", ...args], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, SITEWIRE_TESTS: suite },
})
process.on("SIGINT", () => {})
for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal))
child.on("close", (code, signal) => {
  process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1)
})
