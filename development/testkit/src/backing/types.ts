/** `waiting`: a later line replaces this one, where lines can be replaced. */
export type Progress = (line: string, kind?: "waiting") => void

export type BackingOptions = {
  /** An absolute path. Two running installations cannot have persistent services in the same directory. */
  directory: string
  /**
   * Usually process.env. Uses DATABASE_URL, KAFKA_BROKERS, BACKING_SERVICES, JAVA_HOME, DOCKER_HOST and PATH.
   */
  env: Readonly<Record<string, string | undefined>>
  /** The port on 127.0.0.1. 0 or undefined: any free port. Ignored if the environment has an address. */
  port?: number | undefined
  /**
   * persistent: data is written with fsync and survives restarts. scratch: no fsync, and stop() removes the
   * data.
   */
  durability: "persistent" | "scratch"
  /** Called with lines for a person who waits. No line contains a password. */
  progress: Progress
  /** Called when a local server ends although nobody stopped it. It is not started again. */
  onUnaskedEnd?: ((line: string) => void) | undefined
}

export type BackingService = {
  /** `given`: by the environment. */
  kind: "given" | "docker" | "local"
  /** Postgres: a postgres:// URL with the password. Kafka: host:port. */
  address: string
  /** Idempotent. */
  stop(): Promise<void>
}

/** A process of this machine. */
export type LocalService = BackingService & {
  /** Undefined while the server is halted. */
  readonly pid: number | undefined
  /** Stops the server, by an orderly shutdown or SIGKILL, but keeps its data and port for resume(). */
  halt(how?: "orderly" | "kill"): Promise<void>
  resume(): Promise<void>
}

/** With BACKING_SERVICES=local and without an address, each service is one. */
export function startedHere(service: BackingService): LocalService {
  if ("halt" in service) return service as LocalService
  throw new Error(`${service.kind === "given" ? service.address : "it"} was not started as a process here`)
}
