import { scopeSchema } from "@sitewire/contracts"
import { openPrisma } from "@sitewire/database/prisma"
import { ConfigurationError } from "@sitewire/runtime"
import { createApiKey } from "../auth/apiKey.ts"
import { runTool } from "./runTool.ts"
import { writeStdout } from "./writeStdout.ts"

await runTool({
  usage: `Creates an API key of the management API and prints it. The key cannot be shown again.

  DATABASE_URL=postgresql://… node packages/console/src/tools/createKey.ts --name ops --scopes operate

--name    who uses the key
--scopes  what the key may do, separated by commas: read, operate, channel:<id>, site:<host>
`,
  options: ["name", "scopes"],
  variables: {},
  failure: "The key was not created",
  async work(pool, { name, scopes: list }) {
    const scopes = list.split(",").map((text) => {
      const scope = scopeSchema.safeParse(text)
      if (!scope.success)
        throw new ConfigurationError(`the scope "${text}" ${scope.error.issues[0]?.message}`)
      return scope.data
    })
    // The key is printed within the transaction. If that fails, the transaction is rolled back, and no key is
    // created.
    await openPrisma(pool).$transaction(async (prisma) => {
      const { key } = await createApiKey({ prisma, name, scopes })
      await writeStdout(`${key}\n`)
    })
    return 0
  },
})
