import { styleText } from "node:util"
import type { LocalStack } from "@sitewire/cli"
import { readConfig } from "@sitewire/runtime"
import { explain } from "./explain.ts"
import { logsFolder } from "./folders.ts"
import { demoChannel } from "./makeDemoChannel.ts"
import { progress } from "./progress.ts"
import { type Stack, startStack } from "./startStack.ts"
import { takeNoArguments } from "./takeNoArguments.ts"
import { localVariables } from "./variables.ts"

takeNoArguments("npm start: runs the whole system on this machine until Ctrl-C; its data is kept.")

let stack: Stack | undefined
let stopping = false

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (stopping) process.exit(1)
    stopping = true
    progress("stopping (once more to force it)")
    // Before all is up, the start itself stops what it has begun.
    if (stack) void stopStack(stack)
  })
}

async function stopStack(running: Stack): Promise<void> {
  await running.stop()
  progress("stopped; the data is kept")
  process.exit(0)
}

try {
  stack = await startStack(readConfig(localVariables, process.env))
  if (stopping) await stopStack(stack)
  process.stdout.write(describe(stack.local))
} catch (error) {
  explain("Sitewire could not start", error)
  process.exit(1)
}

function describe({ gateway, console: api, partner, kafka, ops }: LocalStack): string {
  const bold = (text: string) => styleText("bold", text, { stream: process.stdout })
  const row = (name: string, value: string) => `  ${name.padEnd(18)} ${value}\n`
  return `
${bold("Sitewire is ready")}

${row("trigger gateway", gateway)}${row("management API", `${api}/v1`)}${row("demo partner", partner)}${row("Kafka", kafka)}${row("logs", logsFolder)}
${bold("Readiness and metrics")}, at /readyz and /metrics

${Object.entries(ops)
  .map(([name, url]) => row(name, url))
  .join("")}
${bold("Try, in another terminal")}

  npm run --silent sitewire -- publish site.paid --channel ${demoChannel}     a paid site becomes a signed delivery
  npm run --silent sitewire -- delivery list --channel ${demoChannel}         what became of it
  npm run demo                                                  the whole story, in under two minutes

Ctrl-C stops everything; the data stays (npm run reset drops it).
`
}
