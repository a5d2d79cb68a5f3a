import { processVariables } from "../config/commonVariables.ts"
import { type Config, ConfigurationError, readConfig, type Variables } from "../config/config.ts"
import { printHelp } from "../config/printHelp.ts"
import { createReadiness, type PartState, type Readiness } from "../health/readiness.ts"
import { startOpsServer } from "../health/startOpsServer.ts"
import { createLogger, type Logger } from "../logging/logger.ts"
import { createMetrics, type Registry } from "../metrics/createMetrics.ts"
import { type Lifecycle, startLifecycle } from "./lifecycle.ts"

export type ServiceParts<V extends Variables> = {
  config: Config<V & typeof processVariables>
  log: Logger
  lifecycle: Lifecycle
  readiness: Readiness
  metrics: Registry
  /** Tells where the service can be reached: in the log, and to the parent process if it listens (ports may be 0). */
  announce(addresses: Record<string, string>): void
}

/**
 * Runs a service: configuration, log, ops listener and signals, then `start`, which wires the service's own parts and
 * registers how they close. `parts` are what must be up for `/readyz`; `spared` is shown there too. Never returns to the
 * caller with a failure: a start that fails says why on the log (or, for a wrong configuration, on standard error) and
 * exits with 1.
 */
export async function runService<V extends Variables>(settings: {
  name: string
  variables: V
  parts: readonly string[]
  spared?: readonly string[]
  start: (parts: ServiceParts<V>) => Promise<void>
}): Promise<void> {
  const { name, variables, parts, spared, start } = settings
  const all = { ...processVariables, ...variables }
  printHelp(name, all)
  const config = readConfigOrExit(all)
  const log = createLogger({ service: name, level: config.LOG_LEVEL })
  const lifecycle = startLifecycle({ log, deadlineMs: config.SHUTDOWN_DEADLINE })
  const onChange = (part: string, { ready, why }: PartState) => {
    if (lifecycle.stopping.aborted) return
    if (ready) log.info({ part }, "a part is back")
    else log.warn({ part, why }, "a part is away")
  }
  const readiness = createReadiness([...parts, "start"], onChange, spared)
  const metrics = createMetrics(name)
  lifecycle.stopping.addEventListener("abort", () => readiness.set("start", false, "stopping"))

  function announce(addresses: Record<string, string>): void {
    log.info({ addresses }, "listening")
    process.send?.({ addresses })
  }

  // Started by a supervisor that talks to us (npm start, a test): without it, nobody would ever stop this process.
  process.once("disconnect", () => void lifecycle.stop("the supervisor is gone"))

  try {
    const ops = await startOpsServer({ host: config.OPS_HOST, port: config.OPS_PORT, readiness, metrics })
    lifecycle.onStop("ops", () => ops.close())
    await start({ config, log, lifecycle, readiness, metrics, announce })
    if (lifecycle.stopping.aborted) return
    readiness.set("start", true)
    announce({ ops: `http://127.0.0.1:${ops.port}` })
    process.send?.({ ready: true })
  } catch (error) {
    if (lifecycle.stopping.aborted) return
    log.fatal({ error }, "could not start")
    await lifecycle.stop("could not start", 1)
  }
}

function readConfigOrExit<V extends Variables>(variables: V): Config<V> {
  try {
    return readConfig(variables, process.env)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}
