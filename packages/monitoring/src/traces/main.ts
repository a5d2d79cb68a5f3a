import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { startOwnBackingServices } from "@sitewire/backing"
import { type ServiceName, services, startInstallation } from "@sitewire/installation"
import { listen } from "@sitewire/runtime"
import { describeTrace, linksOf, type StoredTrace, tagOf, waitForTrace } from "./jaeger.ts"
import { startCollector } from "./startCollector.ts"

// Shows traces of both flows as a real collector and a real store of traces have them. Fails if one is incomplete.
const stateFolder = fileURLToPath(new URL("../../../../.sitewire", import.meta.url))
const progress = (line: string) => void process.stderr.write(`traces: ${line}\n`)
const tools = execFileSync(fileURLToPath(new URL("tools/install", import.meta.url)), {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "inherit"],
}).trim()

const collector = await startCollector(tools)
const backing = await startOwnBackingServices({
  ...{ parent: stateFolder, name: "traces", jars: join(stateFolder, "jars"), withoutDocker: true, progress },
})
const { databaseUrl, brokers } = backing
const it = await startInstallation({
  backing: { databaseUrl, brokers, topicPrefix: "", replication: 1, stop: () => backing.stop() },
  retryDelaysMs: [1_000],
  env: {
    SYNC_WINDOW: "2s",
    SYNC_SETTLE: "500ms",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_METRIC_EXPORT_INTERVAL: "1000",
    OTEL_LOGS_EXPORTER: "otlp",
  },
})
const outcomes: [string, boolean][] = []
const failedBefore = new Set<string>()
const outside = createServer((request, response) => {
  const [path = ""] = (request.url ?? "").split("?", 1)
  request.resume().on("end", () => response.writeHead(failedBefore.has(path) ? 200 : 503).end("{}"))
  request.on("close", () => failedBefore.add(path))
})
try {
  const partner = `http://127.0.0.1:${await listen(outside, "127.0.0.1", 0, "the partner's port")}`
  await it.addChannel({ id: "acme", address: `${partner}/hook?key=confidential`, secret: "s" })
  const [token] = await it.addConnections([{ id: "shop", source: `${partner}/source?key=confidential` }])
  const start = (name: ServiceName) => it.startFile(services[name].main, it.variables(name))
  const [{ addresses }] = await Promise.all([start("gateway"), start("scheduler"), start("dispatcher")])

  const publisher = randomBytes(16).toString("hex")
  const event = {
    ...{ id: "event-1", channel: "acme", reference: "customer", name: "Shop", email: "owner@shop.example" },
    ...{ site_url: "https://shop.example", console_url: "https://console.shop.example" },
    created_at: new Date().toISOString(),
  }
  const headers = { traceparent: `00-${publisher}-${randomBytes(8).toString("hex")}-01` }
  await it.publish([{ topic: it.names.sitePaid, key: event.id, value: JSON.stringify(event), headers }])
  await fetch(`${addresses.gateway}/connectors/hook/shop/${token}/`, { method: "POST" })

  const delivery = await waitForTrace(
    collector.jaeger,
    `traces/${publisher}`,
    ({ spans }) => spans.length >= 3,
  )
  show("site.paid, in the trace of its publisher", delivery)
  const attempts = delivery.spans
    .filter(({ operationName }) => operationName === "attempt")
    .toSorted((a, b) => a.startTime - b.startTime)
  check("both attempts are in the publisher's trace", attempts.length === 2)
  check("the retry links to the attempt before", linksOf(attempts[1]).includes(attempts[0]?.spanID ?? "?"))

  const sync = await waitForTrace(
    collector.jaeger,
    "traces?service=sync-scheduler&limit=20&lookback=1h",
    ({ spans }) => spans.filter(({ operationName }) => operationName === "sync").length === 2,
  )
  show("a trigger, from the partner's request to the sync that succeeds", sync)
  const involved = new Set(Object.values(sync.processes).map(({ serviceName }) => serviceName))
  check(
    "the trace of a trigger has gateway and scheduler",
    involved.has("trigger-gateway") && involved.size === 2,
  )
  const [failed, succeeded] = sync.spans
    .filter(({ operationName }) => operationName === "sync")
    .toSorted((a, b) => a.startTime - b.startTime)
  check("the second sync links to the failed one", linksOf(succeeded).includes(failed?.spanID ?? "?"))
  check("the first sync failed", tagOf(failed, "sitewire.outcome") === "failed")

  const stored = JSON.stringify([delivery, sync])
  const confidential = ["confidential", "owner@", token ?? ""].filter((text) => stored.includes(text))
  check("neither token, query nor e-mail address is stored", confidential.length === 0)
  check("the collector gets metrics", await reports("sitewire_attempts_total"))
  check("the collector gets logs", await reports("sync finished"))
} finally {
  outside.close()
  await it.stop("SIGTERM", 5_000)
  await collector.stop()
}
for (const [what, holds] of outcomes) console.log(`${holds ? "yes" : "NO "}  ${what}`)
process.exit(outcomes.every(([, holds]) => holds) ? 0 : 1)

/** Metrics are sent each second, and logs as often. */
async function reports(text: string): Promise<boolean> {
  for (const until = Date.now() + 10_000; Date.now() < until; await sleep(200))
    if (collector.output().includes(text)) return true
  return false
}

function show(what: string, trace: StoredTrace): void {
  console.log(`${what}: ${trace.traceID}\n${describeTrace(trace)}\n`)
}

function check(what: string, holds: boolean): void {
  outcomes.push([what, holds])
}
