/** Short, so that a run sees many windows of each connection. */
export const windowMs = 5_000

export const schedulerVariables = {
  SYNC_WINDOW: `${windowMs}ms`,
  SYNC_SETTLE: "500ms",
  SYNC_DEADLINE: "4s",
  SYNC_MAX_PER_HOST: "64",
}
