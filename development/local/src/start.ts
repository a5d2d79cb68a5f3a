import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify, styleText } from "node:util"
import { createClient, type LocalStack } from "@sitewire/cli"
import { readArguments, readConfig } from "@sitewire/runtime"
import { findTool, type Prometheus, startPrometheus } from "@sitewire/testkit/prometheus"
import { printFailure, progress } from "./command.ts"
import { localVariables } from "./config.ts"
import { describeSignIn } from "./describeSignIn.ts"
import { demoChannel } from "./makeDemoChannel.ts"
import { type LocalInstallation, startLocalInstallation } from "./startLocalInstallation.ts"
import { localFile, logsFolder, prometheusFolder, root } from "./state.ts"

const { values } = readArguments(
  { monitoring: { type: "boolean", default: false } },
  "npm start [-- --monitoring]: runs the whole system on this machine until Ctrl-C, and retains its data. --monitoring " +
    "also starts Prometheus.",
  { allowPositionals: false },
)

let installation: LocalInstallation | undefined
let prometheus: Prometheus | undefined
let stopping = false

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (stopping) process.exit(1)
    stopping = true
    progress("stopping (again: at once)")
    // A signal during the start takes effect below, once the start has finished.
    if (installation) void stop(installation)
  })
}

async function stop(running: LocalInstallation): Promise<void> {
  await Promise.all([running.stop(), prometheus?.stop()])
  progress("stopped; the data is retained")
  process.exit(0)
}

try {
  const config = readConfig(localVariables, process.env)
  // A missing program is reported before the installation starts.
  if (values.monitoring) findTool("prometheus")
  const built = buildWebConsole()
  installation = await startLocalInstallation(config)
  await built
  if (values.monitoring && !stopping) {
    // The demo partner is no part of Sitewire.
    const { "demo-partner": _, ...targets } = installation.local.ops
    const port = config.PROMETHEUS_PORT
    prometheus = await startPrometheus({ directory: prometheusFolder, targets, port, ownProcessGroup: true })
  }
  if (stopping) await stop(installation)
  const { console: api, apiKey } = installation.local
  const isTerminal = process.stdout.isTTY === true
  const signIn = await describeSignIn(createClient({ api, key: apiKey }), { isTerminal })
  process.stdout.write(describe(installation.local, signIn))
} catch (error) {
  await Promise.allSettled([installation?.stop(), prometheus?.stop()])
  printFailure("Sitewire could not start", error)
  process.exit(1)
}

/**
 * Builds the page of the web console, unless turbo has the build of these sources in its cache. If that fails, the
 * rest of Sitewire works without the page.
 */
async function buildWebConsole(): Promise<void> {
  const args = [join(root, "node_modules/turbo/bin/turbo"), "run", "build", "--filter=@sitewire/web"]
  try {
    await promisify(execFile)(process.execPath, args, { cwd: root })
    progress("the web console is built")
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string }
    progress(`the web console could not be built, and everything else works without it:\n${stdout}${stderr}`)
  }
}

function describe({ gateway, console: api, partner, kafka }: LocalStack, signIn: string): string {
  const bold = (text: string) => styleText("bold", text, { stream: process.stdout })
  const row = (name: string, value: string) => `  ${name.padEnd(18)} ${value}\n`
  return `
${bold("Sitewire is ready")}
${row("trigger gateway", gateway)}${row("management API", `${api}/v1`)}${row("demo partner", partner)}${row("Kafka", kafka)}${row("logs", logsFolder)}${row("metrics", localFile)}${prometheus ? row("Prometheus", prometheus.url) : ""}
${bold("Web console")}
  ${signIn}

${bold("Try, in another terminal")}
  npm run --silent sitewire -- event publish --channel ${demoChannel}  a signed delivery
  npm run --silent sitewire -- delivery list --channel ${demoChannel}  its state
  npm run demo                                           both flows step by step

Ctrl-C stops everything and retains the data (npm run reset deletes it).
`
}
