import { openPrisma } from "@sitewire/database/prisma"
import { createApiKey } from "../auth/apiKey.ts"
import { runTool } from "./runTool.ts"
import { writeStdout } from "./writeStdout.ts"

await runTool({
  usage: `Creates an API key of the management API and prints it. The key cannot be shown again.

  DATABASE_URL=postgresql://… node packages/console/src/tools/createKey.ts --name ops

--name  who uses the key
`,
  options: ["name"],
  variables: {},
  failure: "The key was not created",
  async work(pool, { name }) {
    // The key is printed within the transaction. If that fails, the transaction is rolled back, and no key is
    // created.
    await openPrisma(pool).$transaction(async (prisma) => {
      const { key } = await createApiKey({ prisma, name })
      await writeStdout(`${key}\n`)
    })
    return 0
  },
})
