import { scopeForms, scopeSchema } from "@sitewire/contracts"
import { openPrisma, sqlWithin } from "@sitewire/database/prisma"
import { ConfigurationError } from "@sitewire/runtime"
import { insertAudit } from "../audit/auditEntry.ts"
import { createApiKey } from "../auth/apiKey.ts"
import { describeUnknownScopes, findUnknownScopes } from "../auth/keyScopes.ts"
import { changesOf } from "../http/response.ts"
import { runTool, writeStdout } from "./runTool.ts"

await runTool({
  usage: `Creates an API key of the management API and prints it. The key cannot be shown again.

  DATABASE_URL=postgresql://… node packages/console/src/tools/createKey.ts --name ops --scopes operate,admin

--name    who uses the key
--scopes  what the key may do, separated by commas: ${scopeForms}
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
      const unknown = await findUnknownScopes(sqlWithin(prisma), scopes)
      if (unknown.length > 0) throw new ConfigurationError(`--scopes ${describeUnknownScopes(unknown)}`)
      const { id, key } = await createApiKey({ prisma, name, scopes })
      await insertAudit(prisma, [
        {
          ...{
            key_id: "command",
            key_name: "createKey.ts",
            operation: "createApiKey",
            target: { kind: "key", id },
          },
          ...{ changes: changesOf({}, { name, scopes }), request_id: "", client_address: null },
        },
      ])
      await writeStdout(`${key}\n`)
    })
    return 0
  },
})
