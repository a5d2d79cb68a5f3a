import { startReceiver } from "@sitewire/cli/receivers"
import { judge, type Measure, notMeasured } from "../measure.ts"
import { measureInPairs, type Side } from "../measureInPairs.ts"
import type { Bench } from "../startBench.ts"
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
  const mean = (samples: readonly number[]) => samples.reduce((sum, of) => sum + of, 0) / samples.length
  const cpuMs: Record<Side, number[]> = { value: [], baseline: [] }
  const rate = await measureInPairs<number>({
    measure: "ms of a delivery, backlog, 1 % of the traces recorded, beside none",
    bound: 1.11,
    pairs: { least: 3, most: 8 },
    async run(side) {
      const env = side === "value" ? tracing : {}
      const done = await deliverBacklog(it, receiver, { amount: 30_000, channels, env, end: true })
      cpuMs[side].push(done.cost.dispatcher)
      return [1_000 / done.perSecond]
    },
    statistic: mean,
    progress,
  })
  const traces = collector.received.filter(({ path }) => path.endsWith("/v1/traces"))
  const bytes = traces.reduce((sum, { body }) => sum + body.length, 0)
  progress(`${traces.length} requests with ${Math.round(bytes / 1_000)} kB of traces reached the collector`)
  await collector.close()
  const name = "CPU of the dispatcher for a delivery, 1 % of the traces recorded, beside none"
  const cpu = judge(name, mean(cpuMs.value), mean(cpuMs.baseline), "ratio-at-most", 1.1)
  if (traces.length > 0) return [rate, cpu]
  return [rate, cpu].map(({ measure }) => notMeasured(measure, "no trace reached the collector"))
}
