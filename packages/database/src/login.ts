import pg from "pg"

/** Where Postgres is, and how to log in. */
export type DatabaseAccess = {
  url: string
  /** Called before each connection. Undefined: the password, if there is one, is in `url`. */
  readPassword?: (() => Promise<string>) | undefined
}

/**
 * pg's client, whose connection may break at any time: its statements fail. pg's pool has no listener while it hands a client
 * over, and Node ends a process that does not listen to an error.
 */
export class Client extends pg.Client {
  constructor(config: pg.ClientConfig = {}) {
    super(config)
    this.on("error", () => {})
  }
}

/** A connection of its own. Close it with `end`. */
export function createSession({ url, readPassword }: DatabaseAccess, name: string): pg.Client {
  const Session = readPassword === undefined ? Client : clientClass(readPassword)
  return new Session({ connectionString: url, application_name: name })
}

/**
 * A client that has the password before it connects. If pg's own option called the function, its time would count as the time of
 * connecting, and its failure would leave the connection open.
 */
export function clientClass(readPassword: () => Promise<string>, connectTimeoutMs?: number) {
  return class extends Client {
    constructor(config: pg.ClientConfig = {}) {
      super({ ...config, ...(connectTimeoutMs && { connectionTimeoutMillis: connectTimeoutMs }) })
    }

    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error) => void): void
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      if (callback === undefined) return this.logIn()
      // pg's pool passes a function that expects no error if there is none.
      this.logIn().then(() => (callback as () => void)(), callback)
      return
    }

    async logIn(): Promise<pg.Client> {
      this.password = await readPassword().catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error)
        // The class of errors with which Postgres rejects a login, because it may succeed later.
        throw Object.assign(new Error(message, { cause: error }), { code: "28000" })
      })
      return super.connect()
    }
  }
}
