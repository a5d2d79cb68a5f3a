/**
 * The shortest time between two syncs of a connection. It is short, so that each connection has many syncs in
 * a run.
 */
export const windowMs = 5_000

export const schedulerVariables = {
  SYNC_WINDOW: `${windowMs}ms`,
  SYNC_SETTLE: "500ms",
  SYNC_DEADLINE: "4s",
  SYNC_MAX_PER_HOST: "64",
}
