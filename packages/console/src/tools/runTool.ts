import { pipeline } from "node:stream/promises"
import { parseArgs } from "node:util"
import { type DatabaseAccess, openPool, type Pool } from "@sitewire/database"
import {
  type Config,
  ConfigurationError,
  databaseAccess,
  databaseVariables,
  readConfig,
  reasonOf,
  type Variables,
} from "@sitewire/runtime"

const { DATABASE_URL, DATABASE_PASSWORD_COMMAND } = databaseVariables

type Tool<Option extends string, V extends Variables> = {
  usage: string
  options: readonly Option[]
  /** The environment variables that `work` needs in addition to those of Postgres. */
  variables: V
  failure: string
  work: (pool: Pool, options: Record<Option, string>, config: Config<V>) => Promise<number>
}

/** Runs a command on the database. Exit codes: 1 failed, 2 wrong arguments. */
export async function runTool<Option extends string, V extends Variables>(
  tool: Tool<Option, V>,
): Promise<void> {
  const args = process.argv.slice(2)
  if (args.includes("--help")) {
    process.stdout.write(tool.usage)
    return
  }
  const options = readOptions(args, tool.options)
  if (typeof options === "string") {
    process.stderr.write(`${options}\n\n${tool.usage}`)
    process.exitCode = 2
    return
  }
  try {
    const config = readConfig({ ...tool.variables, DATABASE_URL, DATABASE_PASSWORD_COMMAND }, process.env)
    process.exitCode = await onDatabase(databaseAccess(config), (pool) => tool.work(pool, options, config))
  } catch (error) {
    const why = reasonOf(error)
    const hasAdvice = error instanceof ConfigurationError || error instanceof StdoutError
    const advice = hasAdvice ? "" : "\nCheck DATABASE_URL, and that the setup job has run."
    process.stderr.write(`${tool.failure}: ${why}${advice}\n`)
    process.exitCode = 1
  }
}

async function onDatabase<T>(access: DatabaseAccess, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = openPool({ ...access, size: 1, name: "sitewire-tool" })
  try {
    await pool.sql("select from api_key, channel, connection limit 0")
    return await work(pool)
  } finally {
    await pool.close()
  }
}

function readOptions<Option extends string>(
  args: string[],
  names: readonly Option[],
): Record<Option, string> | string {
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" }] as const))
  try {
    const { values } = parseArgs({ args, options })
    const missing = names.find((name) => !values[name])
    return missing ? `--${missing} is required.` : (values as Record<Option, string>)
  } catch (error) {
    return reasonOf(error)
  }
}

class StdoutError extends Error {
  constructor(cause: unknown) {
    super(
      `standard output cannot be written (${reasonOf(cause)}). Send it to a terminal, file or pipe that is open.`,
      {
        cause,
      },
    )
    this.name = "StdoutError"
  }
}

/** Resolves once the text is written; rejects with a StdoutError if standard output is closed or full. */
export async function writeStdout(text: string): Promise<void> {
  try {
    await pipeline([text], process.stdout, { end: false })
  } catch (error) {
    throw new StdoutError(error)
  }
}
