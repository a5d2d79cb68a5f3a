import { startReceiver } from "@sitewire/cli/receivers"
import { type Measure, notMeasured } from "../measure.ts"
import type { Bench } from "../startBench.ts"
import { compareDeliveries } from "./compareDeliveries.ts"
import { deliverBacklog, startReceiving } from "./load.ts"

/** Measures the time and the CPU time of a delivery from a backlog with 1 % of the traces recorded, beside none. */
export async function measureTraces(it: Bench): Promise<Measure[]> {
  const { progress } = it
  const receiver = await startReceiving(it)
  const channels = await it.channels(100, (at) => `${receiver.url}/channel-${at}`)
  const collector = await startReceiver((_, response) => response.writeHead(200).end())
  const tracing = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.01",
  }
  await (await it.start("dispatcher", tracing)).end()
  const measures = await compareDeliveries({
    what: "backlog, 1 % of the traces recorded, beside none",
    bounds: { time: 1.11, cpu: 1.1 },
    pairs: { least: 3, most: 8 },
    async run(side) {
      const env = side === "value" ? tracing : {}
      const { perSecond, cost } = await deliverBacklog(it, receiver, {
        amount: 30_000,
        channels,
        env,
        end: true,
      })
      return { perSecond, cpuMs: cost.dispatcher }
    },
    progress,
  })
  const traces = collector.received.filter(({ path }) => path.endsWith("/v1/traces"))
  const bytes = traces.reduce((sum, { body }) => sum + body.length, 0)
  progress(`${traces.length} requests with ${Math.round(bytes / 1_000)} kB of traces reached the collector`)
  await collector.close()
  if (traces.length > 0) return measures
  return measures.map(({ measure }) => notMeasured(measure, "no trace reached the collector"))
}
