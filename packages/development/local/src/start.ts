import { styleText } from "node:util"
import { createClient, type LocalStack } from "@sitewire/cli"
import { readArguments, readConfig } from "@sitewire/runtime"
import type { Prometheus } from "@sitewire/testkit/prometheus"
import { buildWebConsole } from "./buildWebConsole.ts"
import { printFailure } from "./command/printFailure.ts"
import { progress } from "./command/progress.ts"
import { localVariables } from "./config.ts"
import { describeSignIn } from "./describeSignIn.ts"
import { logsFolder } from "./folders.ts"
import { demoChannel } from "./makeDemoChannel.ts"
import { type LocalInstallation, startLocalInstallation } from "./startLocalInstallation.ts"
import { requirePrometheus, startMonitoring } from "./startMonitoring.ts"

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
  if (values.monitoring) requirePrometheus()
  const built = buildWebConsole()
  installation = await startLocalInstallation(config)
  await built
  if (values.monitoring && !stopping)
    prometheus = await startMonitoring(installation.local.ops, config.PROMETHEUS_PORT)
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

function describe({ gateway, console: api, partner, kafka, ops }: LocalStack, signIn: string): string {
  const bold = (text: string) => styleText("bold", text, { stream: process.stdout })
  const row = (name: string, value: string) => `  ${name.padEnd(18)} ${value}\n`
  return `
${bold("Sitewire is ready")}

${row("trigger gateway", gateway)}${row("management API", `${api}/v1`)}${row("demo partner", partner)}${row("Kafka", kafka)}${row("logs", logsFolder)}
${bold("Readiness and metrics")}, at /readyz and /metrics

${Object.entries(ops)
  .map(([name, url]) => row(name, url))
  .join("")}${prometheus ? row("Prometheus", prometheus.url) : ""}
${bold("Web console")}

  ${signIn}

${bold("Try, in another terminal")}

  npm run --silent sitewire -- event publish --channel ${demoChannel}      a paid site becomes a signed delivery
  npm run --silent sitewire -- delivery list --channel ${demoChannel}         the state of the delivery
  npm run demo                                                  both flows step by step, in under two minutes

Ctrl-C stops everything and retains the data (npm run reset deletes it).
`
}
