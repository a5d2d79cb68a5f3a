import { apiKeySchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { block } from "../../output/block.ts"
import { keyEntries } from "./keyEntries.ts"

export const showKey: CliCommand = {
  name: "show",
  description:
    "show an API key's name, scopes and last use; without an id, of the key that this command uses",
  arguments: [["[key]", "the key's id"]],
  examples: ["sitewire key show", "sitewire key show key_8c1f0e"],
  json: apiKeySchema,
  async run({ callApi, print }, [id]) {
    const key = await callApi((client) =>
      id === undefined ? client.readCurrentApiKey() : client.readApiKey({ id }),
    )
    print(key, (shown, style) => block(style, keyEntries(shown, style)))
  },
}
