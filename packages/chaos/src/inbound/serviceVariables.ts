/** Short, so that a run sees many windows of each connection. */
export const windowMs = 5_000

export const gatewayEnv = { GATEWAY_HOST: "127.0.0.1", GATEWAY_PORT: "0", GATEWAY_DRAIN_DELAY: "0ms" }
export const schedulerEnv = {
  SYNC_WINDOW: `${windowMs}ms`,
  SYNC_SETTLE: "500ms",
  SYNC_DEADLINE: "4s",
  SYNC_MAX_PER_HOST: "64",
  ALLOW_HTTP: "true",
  ALLOWED_RANGES: "127.0.0.0/8",
}
