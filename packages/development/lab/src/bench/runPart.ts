import type { Checkout } from "@sitewire/testkit/installation"
import type { BenchOptions } from "./benchOptions.ts"
import { startBenchInstallation } from "./installation/startBenchInstallation.ts"
import { measureOtherLoad } from "./machine/measureOtherLoad.ts"
import { excuseBusyMachine, type Measure, notMeasured } from "./measure/measure.ts"
import type { Part } from "./parts.ts"

/** If the part fails, the error becomes its result, and other parts still run. */
export async function runPart(
  name: string,
  { about, run, retryDelaysMs }: Part,
  checkout: Checkout,
  options: BenchOptions,
): Promise<Measure[]> {
  const { progress } = options
  progress(`${name}: ${about}`)
  const startedAt = performance.now()
  try {
    const it = await startBenchInstallation({ checkout, progress, retryDelaysMs })
    try {
      const others = measureOtherLoad()
      const measures = await run(it, options)
      const share = others()
      const took = ((performance.now() - startedAt) / 1_000).toFixed(0)
      progress(
        `${name}: done in ${took} s; others took ${(100 * share).toFixed(0)} % of the machine's CPU time`,
      )
      return measures.map((measure) => excuseBusyMachine(measure, share))
    } finally {
      await it.stop()
    }
  } catch (error) {
    progress(`${name}: ${error instanceof Error ? error.stack : error}`)
    return [notMeasured(`${name}: ${about}`, error instanceof Error ? error.message : String(error))]
  }
}
