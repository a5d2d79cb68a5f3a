import type { BenchOptions } from "../benchOptions.ts"
import type { Installation } from "../installation/startBenchInstallation.ts"
import { judge, type Measure } from "../measure/measure.ts"
import { publishBacklog } from "./load/publishBacklog.ts"
import { startReceiving } from "./receiver/startBenchReceiver.ts"

const amount = 2_000
const responseMs = 300
const warmUp = 5_000

export async function measureBurst(it: Installation, { progress }: BenchOptions): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  await it.channel("quick", `${receiver.url}/quick`)
  await it.channel("slow", `${receiver.url}/slow-${responseMs}`)
  const dispatcher = await it.start("dispatcher")
  await publishBacklog(it, warmUp, ["quick"])
  await receiver.reached(warmUp)
  await receiver.take()
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1_000
  await publishBacklog(it, amount, ["slow"])
  for (const share of [0.25, 0.5, 0.75]) {
    await receiver.reached(amount * share)
    progress(`${amount * share} of ${amount} responses after ${seconds().toFixed(1)} s`)
  }
  await receiver.reached(amount)
  const value = seconds()
  await dispatcher.end()
  await receiver.end()
  return [
    judge(`${amount} at once to a partner that responds in ${responseMs} ms, s`, value, null, {
      kind: "value-at-most",
      bound: 20,
      unit: "s",
    }),
  ]
}
