import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { PrismaPg } from "@prisma/adapter-pg"
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils"
import * as engine from "@prisma/schema-engine-wasm/schema_engine_bg"
import pg from "pg"
import { concurrentIndex } from "./concurrentIndex.ts"

const require = createRequire(import.meta.url)
let loaded: Promise<void> | undefined

/** Loads Prisma's engine (WebAssembly) without an `import`: not every Node 24 can import `.wasm` modules. */
async function loadEngine(): Promise<void> {
  const file = require.resolve("@prisma/schema-engine-wasm/schema_engine_bg").replace(/\.js$/, ".wasm")
  const module = await WebAssembly.compile(await readFile(file))
  const imports = { "./schema_engine_bg.js": withUnreferencedTimers({ ...engine }) }
  const instance = await WebAssembly.instantiate(module, imports)
  engine.__wbg_set_wasm(instance.exports)
  const start = instance.exports.__wbindgen_start
  if (typeof start === "function") start()
}

/**
 * The engine never clears its timer of 10 s for the database lock. An unreferenced timer does not delay the
 * end of the process.
 */
function withUnreferencedTimers(functions: Record<string, unknown>): Record<string, unknown> {
  const name = Object.keys(functions).find((key) => key.startsWith("__wbg_setTimeout_"))
  if (!name) throw new Error("Prisma's schema engine no longer imports setTimeout: remove this function")
  const setUnreferenced = (callback: () => void, ms: number) => setTimeout(callback, ms >>> 0).unref()
  return { ...functions, [name]: setUnreferenced }
}

/**
 * Sends each migration whole, which makes it one transaction. Prisma's adapter would split it at each
 * semicolon.
 */
class WholeMigrations extends PrismaPg {
  readonly #url: string
  constructor(pool: pg.Pool, url: string) {
    super(pool)
    this.#url = url
  }
  override async connect() {
    const adapter = await super.connect()
    adapter.executeScript = async (sql) => {
      if (concurrentIndex(sql) === null) await adapter.executeRaw({ sql, args: [], argTypes: [] })
      else await createConcurrently(this.#url, sql)
    }
    return adapter
  }
}

/** Without a lock timeout: it waits for the end of all earlier transactions, and nobody waits for it. */
async function createConcurrently(url: string, sql: string): Promise<void> {
  const session = new pg.Client({ connectionString: url, application_name: "sitewire-migrate" })
  await session.connect()
  try {
    await session.query(sql)
  } finally {
    await session.end()
  }
}

/**
 * Runs `work`, and then closes the engine's connections, which releases the engine's lock. `schema` is the
 * text of schema.prisma, which migrations do not need.
 */
export async function withSchemaEngine<T>(
  url: string,
  schema: string | undefined,
  work: (engine: engine.SchemaEngine) => Promise<T>,
): Promise<T> {
  loaded ??= loadEngine()
  await loaded
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "sitewire-migrate",
    // A migration waits briefly for a table's lock, because other statements on the table wait behind it.
    options: "-c lock_timeout=3s",
  })
  const adapter = bindMigrationAwareSqlAdapterFactory(new WholeMigrations(pool, url))
  const datamodels: [string, string][] | undefined =
    schema === undefined ? undefined : [["schema.prisma", schema]]
  const opened = await engine.SchemaEngine.new({ datamodels }, () => {}, adapter)
  try {
    return await work(opened)
  } finally {
    opened.free()
    await pool.end()
  }
}

export const everything = { externalTables: [], externalEnums: [] }
