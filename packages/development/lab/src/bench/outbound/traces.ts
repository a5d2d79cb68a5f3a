import { startReceiver } from "@sitewire/cli/receivers"
import type { BenchOptions } from "../benchOptions.ts"
import type { Installation } from "../installation/startBenchInstallation.ts"
import { judge, type Measure, notMeasured } from "../measure/measure.ts"
import { measureInPairs, type Side } from "../measure/measureInPairs.ts"
import { deliverBacklog } from "./load/deliverBacklog.ts"
import { startReceiving } from "./receiver/startBenchReceiver.ts"

const amount = 30_000
const channelCount = 100

/** Measures the time and the CPU time of a delivery from a backlog with 1 % of the traces recorded, beside none. */
export async function measureTraces(it: Installation, { progress }: BenchOptions): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  const channels = await it.channels(channelCount, (at) => `${receiver.url}/channel-${at}`)
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
      const { dispatcher, perSecond, cost } = await deliverBacklog(it, receiver, {
        amount,
        channels,
        progress,
        env,
      })
      await dispatcher.end()
      cpuMs[side].push(cost.dispatcher)
      return [1_000 / perSecond]
    },
    statistic: mean,
    progress,
  })
  const traces = collector.received.filter(({ path }) => path.endsWith("/v1/traces"))
  const bytes = traces.reduce((sum, { body }) => sum + body.length, 0)
  progress(`${traces.length} requests with ${Math.round(bytes / 1_000)} kB of traces reached the collector`)
  await collector.close()
  await receiver.end()
  const cpu = judge(
    "CPU of the dispatcher for a delivery, 1 % of the traces recorded, beside none",
    mean(cpuMs.value),
    mean(cpuMs.baseline),
    { kind: "ratio-at-most", bound: 1.1 },
  )
  if (traces.length > 0) return [rate, cpu]
  return [rate, cpu].map(({ measure }) => notMeasured(measure, "no trace reached the collector"))
}
