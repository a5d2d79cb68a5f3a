import { parseArgs } from "node:util"
import { openPool } from "@sitewire/database"
import { openPrisma } from "@sitewire/database/prisma"
import { databaseVariables, readConfig } from "@sitewire/runtime"
import { createApiKey } from "./apiKey.ts"

const usage = `Makes a key of the management API and prints it, this once.

  DATABASE_URL=postgresql://… node packages/console/src/createKey.ts --name ops

--name  whose key it is
`

/** Returns the exit code: 2 where the call is wrong. */
async function createKey(args: string[]): Promise<number> {
  let name: string | undefined
  try {
    name = parseArgs({ args, options: { name: { type: "string" } } }).values.name
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n`)
  }
  if (!name) {
    process.stderr.write(usage)
    return 2
  }
  const { DATABASE_URL: url } = readConfig({ DATABASE_URL: databaseVariables.DATABASE_URL }, process.env)
  const pool = openPool({ url, size: 1, name: "sitewire-create-key" })
  try {
    const { key } = await createApiKey({ prisma: openPrisma(pool), name })
    process.stdout.write(`${key}\n`)
    return 0
  } finally {
    await pool.close()
  }
}

try {
  process.exitCode = await createKey(process.argv.slice(2))
} catch (error) {
  process.stderr.write(
    `The key was not made: ${error instanceof Error ? error.message.trim() : String(error)}\n`,
  )
  process.exitCode = 1
}
