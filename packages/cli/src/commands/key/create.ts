import { createdApiKeySchema, formOfScope, scopeCatalogue, scopeForms, scopeNames } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { parseFutureTime } from "../../options/parseTime.ts"
import { block } from "../../output/block.ts"
import { keyEntries } from "./keyEntries.ts"

const scopeNotes = scopeNames
  .map((name) => `${formOfScope(name)} (${scopeCatalogue[name].for}): ${scopeCatalogue[name].allows}`)
  .join("\n")

type Options = { name: string; scope: string[]; expires?: string }

export const createKey: CliCommand = {
  name: "create",
  description: "create an API key; prints it, only this once",
  options: [
    new Option("--name <text>", "who uses the key: a role, not a person (required)").makeOptionMandatory(),
    new Option("--scope <scope...>", `${scopeForms}; may be repeated (required)`).makeOptionMandatory(),
    new Option("--expires <time>", "when the key stops working (default: never)").argParser(parseFutureTime),
  ],
  notes: `The expiry is in how long it is (90d), or an instant (2027-01-31T00:00:00Z).\n\n${scopeNotes}`,
  examples: [
    "sitewire key create --name dashboards --scope read --expires 90d",
    'sitewire key create --name "acme\'s developers" --scope channel:acme',
  ],
  json: createdApiKeySchema,
  async run({ callApi, print, note }, _, { name, scope, expires }: Options) {
    const created = await callApi((client) =>
      client.createApiKey({
        body: { name, scopes: scope, ...(expires !== undefined && { expires_at: expires }) },
      }),
    )
    print(created, (key, style) => block(style, [...keyEntries(key, style), ["key", key.key]]))
    note("Store the key where you store secrets: it is never shown again.")
  },
}
