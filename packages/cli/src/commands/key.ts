import { formOfScope, scopeCatalogue, scopeForms, scopeNames } from "@sitewire/contracts"
import { keyView } from "@sitewire/contracts/views"
import type { CommandGroup } from "../command.ts"
import { call } from "../derive/call.ts"

const scopeNotes = scopeNames
  .map((name) => `${formOfScope(name)} (${scopeCatalogue[name].for}): ${scopeCatalogue[name].allows}`)
  .join("\n")

export const key: CommandGroup = {
  name: "key",
  description: "API keys and their scopes",
  commands: [
    call("key create", "createApiKey", {
      description: "create an API key; prints it, only this once",
      options: {
        name: "who uses the key: a role, not a person",
        scopes: `${scopeForms}; may be repeated`,
      },
      notes: `The expiry is in how long it is (90d), or an instant (2027-01-31T00:00:00Z).\n\n${scopeNotes}`,
      examples: [
        "sitewire key create --name dashboards --scope read --expires 90d",
        'sitewire key create --name "acme\'s developers" --scope channel:acme',
      ],
      print: keyView,
      note: () => "Store the key where you store secrets: it is never shown again.",
    }),
    call("key list", "listApiKeys", {
      description:
        "list the API keys without their secret parts, newest first; also revoked and expired ones",
      examples: ["sitewire key list", "sitewire key list --all --json"],
      none: "No keys.",
      print: keyView,
    }),
    call("key show", "readApiKey", {
      argument: ["[key]", "the key's id"],
      description:
        "show an API key's name, scopes and last use; without an id, of the key that this command uses",
      examples: ["sitewire key show", "sitewire key show key_8c1f0e"],
      instead: (id) => (id === undefined ? "readCurrentApiKey" : undefined),
      print: keyView,
    }),
    call("key revoke", "revokeApiKey", {
      description: "revoke an API key: no request with it is accepted from now on; it cannot be undone",
      async confirm(client, { id }) {
        const { name, scopes } = await client.readApiKey({ id })
        return `Revoke the key "${name}" (${scopes.join(", ")})? This cannot be undone.`
      },
      print: keyView,
    }),
  ],
}
