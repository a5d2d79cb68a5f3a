import { deliveryBodySchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { deliveryArgument, wholeId } from "./shortId.ts"

export const revealDelivery: CliCommand = {
  name: "reveal",
  description:
    "print a delivery's body exactly as it is sent; it contains personal data, and this is audited",
  arguments: [deliveryArgument],
  examples: [
    "sitewire delivery reveal 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b",
    "sitewire delivery reveal 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b --json | jq -rj .body | sha256sum",
  ],
  json: deliveryBodySchema,
  async run({ callApi, print }, [given]: [string]) {
    const id = await callApi((client) => wholeId(client, given))
    print(await callApi((client) => client.revealDelivery({ id })), ({ body }) => body)
  },
}
