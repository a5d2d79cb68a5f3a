/*
 * Time limits of fixtures. They end only what hangs, and are generous because the machine may be busy. No test waits for
 * one of them unless something is broken.
 */

/** Until a condition that a test waits for is true. */
export const waitDeadlineMs = 90_000

/** Until a process or server that was started is ready. */
export const readyWithinMs = 120_000

/** Until a server has ended that was told to end. Afterwards it is killed. */
export const endWithinMs = 20_000

/** Until a connection to the tests' Postgres is open. */
export const connectWithinMs = 60_000

/** A fixture's work on Postgres or Kafka is tried this often, because a busy server may reject a connection. */
export const fixtureTries = 5
