import { processVariables } from "../config/commonVariables.ts"
import { type Config, ConfigurationError, readConfig, type Variables } from "../config/config.ts"
import { contractDepartures } from "../config/contractDepartures.ts"
import { printHelp } from "../config/printHelp.ts"
import { type CheckState, createReadiness, type Readiness } from "../health/readiness.ts"
import { startOpsServer } from "../health/startOpsServer.ts"
import { createLogger, type Logger } from "../logging/logger.ts"
import { createMetrics, type Registry } from "../metrics/createMetrics.ts"
import { registerReadyGauge } from "../metrics/registerGauges.ts"
import { startTelemetry } from "../telemetry/startTelemetry.ts"
import { telemetryVariables } from "../telemetry/telemetryVariables.ts"
import type { Tracing } from "../telemetry/tracing.ts"
import { type Lifecycle, startLifecycle } from "./lifecycle.ts"

export type ServiceParts<V extends Variables> = {
  config: Config<V & typeof processVariables>
  log: Logger
  lifecycle: Lifecycle
  readiness: Readiness
  metrics: Registry
  tracing: Tracing
  /** Logs the service's addresses and sends them to the parent process, because configured ports may be 0. */
  announce(addresses: Record<string, string>): void
}

/**
 * Reads the configuration, starts the ops server and handles signals. Then calls `start`, which wires the
 * service. If `start` fails, logs why and exits with 1.
 */
export async function runService<V extends Variables>(settings: {
  name: string
  variables: V
  checks: readonly string[]
  optionalChecks?: readonly string[]
  start: (parts: ServiceParts<V>) => Promise<void>
}): Promise<void> {
  const { name, variables, checks, optionalChecks, start } = settings
  const all = { ...processVariables, ...telemetryVariables, ...variables }
  printHelp(name, all)
  const config = readConfigOrExit(all)
  const log = createLogger({ service: name, level: config.LOG_LEVEL })
  for (const { variable, contract } of contractDepartures(process.env))
    if (variable in all)
      log.warn({ detail: `${variable}: ${contract}` }, "a variable departs from the contract with partners")
  const lifecycle = startLifecycle({ log, deadlineMs: config.SHUTDOWN_DEADLINE })
  const onChange = (check: string, { ready, why }: CheckState) => {
    if (lifecycle.stopping.aborted) return
    if (ready) log.info({ check }, "a check passes again")
    else log.warn({ check, why }, "a check fails")
  }
  const readiness = createReadiness([...checks, "start"], onChange, optionalChecks)
  const metrics = createMetrics(name)
  registerReadyGauge(metrics, () => readiness.read().ready)
  const telemetry = await startTelemetry({ service: name, config, log })
  // Registered first, so that it is closed last.
  lifecycle.onStop("telemetry", telemetry.close)
  lifecycle.stopping.addEventListener("abort", () => readiness.set("start", false, "stopping"))

  function announce(addresses: Record<string, string>): void {
    log.info({ addresses }, "listening")
    process.send?.({ addresses })
  }

  // A process with an IPC channel was started by `npm start` or a test. If its parent ends, nothing else
  // stops it.
  process.once("disconnect", () => void lifecycle.stop("the parent process ended"))

  try {
    const ops = await startOpsServer({ host: config.OPS_HOST, port: config.OPS_PORT, readiness, metrics })
    lifecycle.onStop("ops", () => ops.close())
    await start({ config, log, lifecycle, readiness, metrics, tracing: telemetry.tracing, announce })
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
