import { openPrisma } from "@sitewire/database/prisma"
import { createApiKey } from "../auth/apiKey.ts"
import { printOut } from "./writeStdout.ts"
import { runTool } from "./runTool.ts"

await runTool({
  usage: `Makes a key of the management API and prints it, this once.

  DATABASE_URL=postgresql://… node packages/console/src/tools/createKey.ts --name ops

--name  whose key it is
`,
  options: ["name"],
  variables: {},
  failed: "The key was not made",
  async work(pool, { name }) {
    // In one transaction, so that no key is valid that nobody has read.
    await openPrisma(pool).$transaction(async (prisma) => {
      const { key } = await createApiKey({ prisma, name })
      await printOut(`${key}\n`)
    })
    return 0
  },
})
