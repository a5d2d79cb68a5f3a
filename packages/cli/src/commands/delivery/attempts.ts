import { attemptSchema, pageSchema } from "@sitewire/contracts"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { noteMore, type PageOptions, pageOptions } from "../../options/pageOptions.ts"
import { attemptTable } from "./attemptTable.ts"
import { deliveryArgument, wholeId } from "./shortId.ts"

export const listAttempts: CliCommand = {
  name: "attempts",
  description: "list the attempts of a delivery, newest first",
  arguments: [deliveryArgument],
  options: pageOptions,
  examples: ["sitewire delivery attempts 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b --all"],
  json: pageSchema(attemptSchema),
  async run(session, [given]: [string], options: PageOptions) {
    const page = await session.callApi(async (client) => {
      const id = await wholeId(client, given)
      return readPages(options, (query) => client.listAttempts({ id, ...query }))
    })
    session.print(page, ({ data }, style) => (data.length === 0 ? "No attempts." : attemptTable(style, data)))
    noteMore(session, page)
  },
}
