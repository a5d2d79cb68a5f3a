import { parseArgs } from "node:util"
import { openPool } from "@sitewire/database"
import { databaseVariables, readConfig } from "@sitewire/runtime"
import { resealAll } from "./resealAll.ts"
import { consoleVariables } from "./variables.ts"

const usage = `Seals all secrets and tokens again with the first key of SEALING_KEYS, so that the others can be taken away.

  DATABASE_URL=postgresql://… SEALING_KEYS=new:…,old:… node packages/console/src/reseal.ts

First let every dispatcher and console have both keys, the new one first. May be repeated.
`

/** Returns the exit code: 1 where a value stays under a key that is not at hand, 2 where the call is wrong. */
async function reseal(args: string[]): Promise<number> {
  try {
    parseArgs({ args, options: {} })
  } catch {
    process.stderr.write(usage)
    return 2
  }
  const { DATABASE_URL: url, SEALING_KEYS: keys } = readConfig(
    { DATABASE_URL: databaseVariables.DATABASE_URL, SEALING_KEYS: consoleVariables.SEALING_KEYS },
    process.env,
  )
  const pool = openPool({ url, size: 1, name: "sitewire-reseal" })
  try {
    const { looked, resealed, unopened } = await resealAll(pool.sql, keys)
    process.stdout.write(
      `${looked} sealed values, ${resealed} of them sealed again with the key "${keys.current}"\n`,
    )
    for (const row of unopened) process.stderr.write(`not opened: ${row} is not in SEALING_KEYS\n`)
    return unopened.length > 0 ? 1 : 0
  } finally {
    await pool.close()
  }
}

try {
  process.exitCode = await reseal(process.argv.slice(2))
} catch (error) {
  process.stderr.write(
    `Not all was sealed again: ${error instanceof Error ? error.message : String(error)}\n`,
  )
  process.exitCode = 1
}
