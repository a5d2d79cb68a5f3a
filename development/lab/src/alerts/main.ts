import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { readArguments } from "@sitewire/runtime"
import { readAlerts, readRules, startPrometheus } from "@sitewire/testkit/prometheus"
import { type Outcome, rehearse } from "./rehearse.ts"
import { scenarios } from "./scenarios.ts"
import { shortenRules } from "./shortenRules.ts"
import { startSystem } from "./startSystem.ts"

const { values, explain } = readArguments(
  { divisor: { type: "string" }, only: { type: "string" } },
  "npm run alerts [-- --divisor N] [--only ALERT]: causes each alert on an installation and a Prometheus of its own, " +
    "with all durations of the rules divided by N (120).",
  { allowPositionals: false },
)
const divisor = Number(values.divisor ?? 120)
if (!(divisor >= 1)) explain("--divisor is a number of at least 1.")
const { only } = values
const chosen = scenarios.filter(
  ({ alerts, alertsAfterwards = [] }) =>
    only === undefined || [...alerts, ...alertsAfterwards].includes(only),
)
if (chosen.length === 0) explain(`No scenario causes ${only}.`)

const progress = (line: string) => void process.stderr.write(`alerts: ${line}\n`)
const outcomes: Outcome[] = []
const others = new Map<string, string[]>()
const system = await startSystem({ progress })
try {
  const prometheus = await startPrometheus({
    directory: join(system.directory, "prometheus"),
    targets: system.targets(),
    intervalSeconds: 1,
    rules: shortenRules(await readRules(), divisor),
  })
  try {
    progress(`Prometheus: ${prometheus.url}`)
    // Longer than the longest range, so that the start has no part in the first scenario.
    await sleep(35_000)
    for (const scenario of chosen) {
      const result = await rehearse(scenario, { system, prometheus: prometheus.url, progress })
      outcomes.push(...result.outcomes)
      others.set(scenario.cause, result.others)
    }
  } finally {
    await prometheus.stop()
  }
} finally {
  await system.end()
}

console.table(outcomes)
for (const [cause, names] of others) if (names.length > 0) console.log(`${cause}, also: ${names.join(", ")}`)
const missed = (await readAlerts())
  .map(({ alert }) => alert)
  .filter((alert) => only === undefined && !outcomes.some((outcome) => outcome.alert === alert))
const failed = outcomes.filter(
  ({ firedAfter, resolvedAfter }) => firedAfter === null || resolvedAfter === null,
)
console.log(`${outcomes.length - failed.length} alerts fired and resolved, ${failed.length} did not`)
if (missed.length > 0) console.log(`no scenario causes ${missed.join(", ")}`)
process.exit(failed.length + missed.length === 0 ? 0 : 1)
