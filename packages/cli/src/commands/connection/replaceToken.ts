import { connectionTriggerUrlSchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { connectionBlock } from "./connectionBlock.ts"

export const replaceToken: CliCommand = {
  name: "replace-token",
  description:
    "replace a connection's token and thereby its trigger URL; the old URL responds with 404 at once",
  arguments: [["<connection>", "the connection's id"]],
  examples: ["sitewire connection replace-token bakery"],
  json: connectionTriggerUrlSchema,
  async run({ callApi, print, note }, [id]: [string]) {
    print(await callApi((client) => client.replaceToken(id)), connectionBlock)
    note(
      "The old trigger URL responds with 404 from now on. The new one contains a secret token: " +
        "give it to the partner only.",
    )
  },
}
