import { sealingVariables } from "@sitewire/database"
import { resealAll } from "./resealAll.ts"
import { runTool } from "./runTool.ts"

await runTool({
  usage: `Seals all secrets and tokens again with the first key of SEALING_KEYS, so that the others can be taken away.

  DATABASE_URL=postgresql://… SEALING_KEYS=new:…,old:… node packages/console/src/tools/reseal.ts

First let every dispatcher and console have both keys, the new one first. May be repeated.
`,
  options: [],
  variables: sealingVariables,
  failed: "Not all was sealed again",
  /** 1 where a value stays under a key that is not at hand. */
  async work(pool, _options, { SEALING_KEYS: keys }) {
    const { looked, resealed, unopened } = await resealAll(pool.sql, keys)
    process.stdout.write(
      `${looked} sealed values, ${resealed} of them sealed again with the key "${keys.current}"\n`,
    )
    for (const row of unopened) process.stderr.write(`not opened: ${row} is not in SEALING_KEYS\n`)
    return unopened.length > 0 ? 1 : 0
  },
})
