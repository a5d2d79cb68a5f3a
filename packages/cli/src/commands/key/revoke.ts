import { apiKeySchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { type ConfirmOptions, confirmOption } from "../../options/confirmOption.ts"
import { block } from "../../output/block.ts"
import { keyEntries } from "./keyEntries.ts"

export const revokeKey: CliCommand = {
  name: "revoke",
  description: "revoke an API key: no request with it is accepted from now on; it cannot be undone",
  arguments: [["<key>", "the key's id"]],
  options: [confirmOption],
  examples: ["sitewire key revoke key_8c1f0e", "sitewire key revoke key_8c1f0e --yes"],
  json: apiKeySchema,
  async run({ callApi, confirm, print }, [id]: [string], options: ConfirmOptions) {
    await confirm(options, async () => {
      const { name, scopes } = await callApi((client) => client.readApiKey({ id }))
      return `Revoke the key "${name}" (${scopes.join(", ")})? This cannot be undone.`
    })
    const revoked = await callApi((client) => client.revokeApiKey({ id }))
    print(revoked, (key, style) => block(style, keyEntries(key, style)))
  },
}
