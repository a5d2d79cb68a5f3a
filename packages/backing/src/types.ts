export type Progress = (line: string) => void

export type BackingOptions = {
  /** Where the state lives. Must be absolute. Two running systems cannot share a kept one. */
  directory: string
  /** Usually process.env. Read: DATABASE_URL, KAFKA_BROKERS, BACKING_SERVICES, JAVA_HOME, DOCKER_HOST, PATH. */
  env: Readonly<Record<string, string | undefined>>
  /** TCP port on 127.0.0.1; 0 or absent means any free one. Ignored for a given address. */
  port?: number | undefined
  /** kept: data survives restarts, ordinary fsync. scratch: new each time, no fsync, removed by stop(). */
  durability: "persistent" | "scratch"
  /** Called with one line for whoever waits. No line holds a password. */
  progress: Progress
}

/** A service somebody else runs: its address was in the environment, and stop() leaves it alone. */
type GivenBackingService = { kind: "given"; address: string; stop(): Promise<void> }

/** A service we started. */
export type StartedBackingService = {
  kind: "docker" | "local"
  /** A postgres:// URL with its password, or "host:port". The same after halt() and resume(). */
  address: string
  /** The server's process id; undefined in Docker and while halted. */
  readonly pid: number | undefined
  /** Ends the service in its own orderly way (SIGKILL after a deadline). Idempotent. */
  stop(): Promise<void>
  /** An outage for fault tests: the service goes away, orderly or by SIGKILL, and its data and port stay. */
  halt(how?: "orderly" | "kill"): Promise<void>
  /** Ends the outage: same address, same data, ready when it resolves. */
  resume(): Promise<void>
}

export type BackingService = GivenBackingService | StartedBackingService
