import { openPrisma } from "@sitewire/database/prisma"
import { createApiKey } from "./apiKey.ts"
import { runTool } from "./runTool.ts"

await runTool({
  usage: `Makes a key of the management API and prints it, this once.

  DATABASE_URL=postgresql://… node packages/console/src/createKey.ts --name ops

--name  whose key it is
`,
  options: ["name"],
  variables: {},
  failed: "The key was not made",
  async work(pool, { name }) {
    const { key } = await createApiKey({ prisma: openPrisma(pool), name })
    process.stdout.write(`${key}\n`)
    return 0
  },
})
