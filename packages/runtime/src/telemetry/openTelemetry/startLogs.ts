import { ROOT_CONTEXT, SeverityNumber, TraceFlags, trace } from "@opentelemetry/api"
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-proto"
import type { Resource } from "@opentelemetry/resources"
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs"
import type { TelemetryParts } from "../telemetry.ts"
import { exporterOptions } from "./exporterOptions.ts"
import { reportFailures } from "./reportFailures.ts"

const severities: Record<string, SeverityNumber> = {
  trace: SeverityNumber.TRACE,
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
}

/** Sends the lines that are written to standard output, because secrets are redacted in these. */
export function startLogs(resource: Resource, { log }: TelemetryParts) {
  const exporter = reportFailures(new OTLPLogExporter(exporterOptions), "logs", log)
  const provider = new LoggerProvider({ resource, processors: [new BatchLogRecordProcessor({ exporter })] })
  const logger = provider.getLogger("sitewire")

  function onLogLine(line: string): void {
    const {
      level,
      time,
      msg,
      service: _,
      trace_id: traceId,
      span_id: spanId,
      ...attributes
    } = JSON.parse(line)
    const isTraced = typeof traceId === "string" && typeof spanId === "string"
    logger.emit({
      timestamp: Date.parse(time),
      severityNumber: severities[level] ?? SeverityNumber.UNSPECIFIED,
      severityText: level,
      body: msg,
      attributes,
      context: isTraced
        ? trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED })
        : ROOT_CONTEXT,
    })
  }

  return { onLogLine, close: () => provider.shutdown() }
}
