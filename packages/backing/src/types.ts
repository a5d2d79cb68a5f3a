export type Progress = (line: string) => void

export type BackingOptions = {
  /** An absolute path. Two running installations cannot share the folder of persistent services. */
  directory: string
  /** Usually process.env. Uses DATABASE_URL, KAFKA_BROKERS, BACKING_SERVICES, JAVA_HOME, DOCKER_HOST and PATH. */
  env: Readonly<Record<string, string | undefined>>
  /** On 127.0.0.1; 0 or undefined is any free port. Ignored if the environment has an address. */
  port?: number | undefined
  /** persistent: data is written with fsync and survives restarts. scratch: no fsync, and stop() removes the data. */
  durability: "persistent" | "scratch"
  /** Called with lines for a person who waits. No line contains a password. */
  progress: Progress
}

/** A service whose address was in the environment. stop() does nothing. */
type GivenBackingService = { kind: "given"; address: string; stop(): Promise<void> }

export type StartedBackingService = {
  kind: "docker" | "local"
  /** A postgres:// URL with its password, or host:port. The same after halt() and resume(). */
  address: string
  /** Undefined in Docker and while halted. */
  readonly pid: number | undefined
  /** Idempotent. */
  stop(): Promise<void>
  /** Begins an outage, by a shutdown or by SIGKILL. Data and port are retained. */
  halt(how?: "orderly" | "kill"): Promise<void>
  resume(): Promise<void>
}

export type BackingService = GivenBackingService | StartedBackingService
