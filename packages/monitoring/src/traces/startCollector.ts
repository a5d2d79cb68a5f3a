import { spawn } from "node:child_process"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

const readyWithinMs = 30_000

export type Collector = {
  /** The value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  endpoint: string
  /** Of Jaeger's query API. */
  jaeger: string
  /** What the collector reports about metrics and logs. */
  output: () => string
  stop(): Promise<void>
}

/** Starts Jaeger, and a collector that sends traces to it, and counts metrics and logs. */
export async function startCollector(tools: string): Promise<Collector> {
  const [otlp, toJaeger, query, ...others] = await freePorts(8)
  const address = (port: number | undefined) => `127.0.0.1:${port}`
  const jaeger = start(`${tools}/jaeger`, [
    `--collector.otlp.http.host-port=${address(toJaeger)}`,
    `--query.http-server.host-port=${address(query)}`,
    ...[
      "collector.otlp.grpc.host-port",
      "collector.grpc-server.host-port",
      "collector.http-server.host-port",
      "query.grpc-server.host-port",
      "admin.http.host-port",
    ].map((name, at) => `--${name}=${address(others[at])}`),
  ])
  const settings = {
    receivers: { otlp: { protocols: { http: { endpoint: address(otlp) } } } },
    processors: { batch: { timeout: "200ms" } },
    exporters: {
      otlp_http: { endpoint: `http://${address(toJaeger)}`, tls: { insecure: true } },
      debug: { verbosity: "normal" },
    },
    service: {
      telemetry: { metrics: { level: "none" } },
      pipelines: {
        traces: { receivers: ["otlp"], processors: ["batch"], exporters: ["otlp_http"] },
        metrics: { receivers: ["otlp"], exporters: ["debug"] },
        logs: { receivers: ["otlp"], exporters: ["debug"] },
      },
    },
  }
  const collector = start(`${tools}/otelcol`, [`--config=yaml:${JSON.stringify(settings)}`])
  const stop = async () => void (await Promise.all([collector.stop(), jaeger.stop()]))
  const urls = { endpoint: `http://${address(otlp)}`, jaeger: `http://${address(query)}` }
  for (const [name, url, process] of [
    ["Jaeger", `${urls.jaeger}/api/services`, jaeger],
    ["the collector", urls.endpoint, collector],
  ] as const) {
    for (const until = Date.now() + readyWithinMs; ; await sleep(100)) {
      if (await fetch(url).catch(() => null)) break
      if (process.isRunning() && Date.now() < until) continue
      await stop()
      throw new Error(`${name} did not start:\n${process.output()}`)
    }
  }
  return { ...urls, output: collector.output, stop }
}

function start(file: string, args: string[]) {
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text))
  const ended = once(child, "close").catch((error: unknown) => (output += String(error)))
  return {
    output: () => output,
    isRunning: () => child.exitCode === null && child.signalCode === null && child.pid !== undefined,
    async stop() {
      child.kill("SIGKILL")
      await ended
    },
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports: number[] = []
  for (const server of servers) {
    await once(server.listen(0, "127.0.0.1"), "listening")
    ports.push((server.address() as AddressInfo).port)
  }
  for (const server of servers) server.close()
  return ports
}
