import { sealingVariables } from "@sitewire/database"
import { egressVariables, rangesVariable } from "@sitewire/egress"
import {
  booleanVariable,
  ConfigurationError,
  countVariable,
  databaseVariables,
  durationVariable,
  headerVariables,
  kafkaVariables,
  processVariables,
  retentionBounds,
  siteVariables,
  telemetryVariables,
} from "@sitewire/runtime"

export const schedulerVariables = {
  ...processVariables,
  ...telemetryVariables,
  ...kafkaVariables,
  ...databaseVariables,
  ...sealingVariables,
  ...egressVariables,
  ...headerVariables,
  SYNC_WINDOW: durationVariable(
    "60s",
    "The least time between two syncs of one connection. All triggers in between become one sync.",
  ),
  ALLOW_SHORT_WINDOW: booleanVariable(
    "For tests: allow a SYNC_WINDOW below 60s, with which more than one sync a minute can start.",
  ),
  SYNC_SETTLE: durationVariable(
    "2s",
    "How long the first trigger waits for more triggers to share its sync.",
  ),
  SYNC_DEADLINE: durationVariable("50s", "A sync that takes longer is aborted and counts as failed."),
  SYNC_MAX_BYTES: countVariable(
    50 * 1024 * 1024,
    { min: 1, max: 1024 * 1024 * 1024 },
    "The largest content of a source, decoded, in bytes. A sync with more fails.",
  ),
  SITE_MAX_BYTES: siteVariables.SITE_MAX_BYTES,
  SYNC_MAX_RUNNING: countVariable(
    500,
    { min: 1, max: 10_000 },
    "Syncs in flight in this process, at most. A waiting sync needs up to 0.1 MB of memory.",
  ),
  SYNC_MAX_PER_HOST: countVariable(
    32,
    { min: 1, max: 10_000 },
    "Syncs in flight of one source host in this process, at most. A host starts with 4 and gets one more with each success.",
  ),
  RETENTION: durationVariable(
    "30d",
    "Records of syncs are deleted when the day on which they started (UTC) is older than this. The connection keeps the outcome of its last one.",
    retentionBounds,
  ),
  DELEGATE_ALLOWED_RANGES: rangesVariable(
    "IP ranges (CIDR, separated by commas) in which executors may be called. They may use http:.",
  ),
}

export function requireWindow(config: { SYNC_WINDOW: number; ALLOW_SHORT_WINDOW: boolean }): void {
  if (config.SYNC_WINDOW < 60_000 && !config.ALLOW_SHORT_WINDOW)
    throw new ConfigurationError(
      `SYNC_WINDOW is ${config.SYNC_WINDOW} ms, but partners were promised at most one sync a minute. Set at least 60s.`,
    )
}
