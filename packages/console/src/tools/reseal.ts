import { sealingVariables } from "@sitewire/database"
import { resealAll } from "./resealAll.ts"
import { runTool } from "./runTool.ts"

await runTool({
  usage: `Seals all secrets, tokens and the key of digests with the first key of SEALING_KEYS, so that the other keys can be removed.

  DATABASE_URL=postgresql://… SEALING_KEYS=new:…,old:… node packages/console/src/tools/reseal.ts

First start every dispatcher and console with both keys, the new one first. The command may be repeated.
`,
  options: [],
  variables: sealingVariables,
  failure: "Some values were not resealed",
  /** Exits with 1 if a value is sealed with a key that is not in SEALING_KEYS. */
  async work(pool, _options, { SEALING_KEYS: keys }) {
    const { scanned, resealed, unopened } = await resealAll(pool.sql, keys)
    process.stdout.write(
      `${scanned} sealed values, ${resealed} of them resealed with the key "${keys.current}"\n`,
    )
    for (const row of unopened) process.stderr.write(`not resealed: ${row} is not in SEALING_KEYS\n`)
    return unopened.length > 0 ? 1 : 0
  },
})
