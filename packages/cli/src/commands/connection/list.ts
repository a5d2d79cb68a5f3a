import { connectionSchema, connectionStateSchema, pageSchema } from "@sitewire/contracts"
import type { Input } from "@sitewire/contracts/client"
import { Option } from "commander"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { type PageOptions, pageOptions, printPage } from "../../options/pageOptions.ts"
import type { Style } from "../../output/style.ts"
import { relativeTime } from "../../output/time.ts"

type Options = PageOptions & { site?: string; state?: Input<"listConnections">["state"]; search?: string }

export const listConnections: CliCommand = {
  name: "list",
  description: "list the connections, newest first",
  options: [
    new Option("--site <host>", "only connections of this site"),
    new Option("--state <state>", "only connections in this state").choices(connectionStateSchema.options),
    new Option("--search <text>", "only connections whose id, site or source contains this text"),
    ...pageOptions,
  ],
  examples: [
    "sitewire connection list --site bakery.example",
    "sitewire connection list --state failing",
    "sitewire connection list --all --json",
  ],
  json: pageSchema(connectionSchema),
  async run(session, _, { site, state, search, ...options }: Options) {
    const filter = { site, state, q: search }
    const isFiltered = Object.values(filter).some((value) => value !== undefined)
    const page = await session.callApi((client) =>
      readPages(options, (query) => client.listConnections({ ...query, ...filter })),
    )
    printPage(
      session,
      page,
      isFiltered
        ? "No connection matches."
        : "No connections. Create one: sitewire connection create --site HOST --source URL",
      (style) => [
        { title: "ID", cell: (connection) => connection.id, whole: true },
        { title: "STATE", cell: (connection) => connection.state, paint: style.state },
        { title: "LAST SYNC", cell: (connection) => ago(connection.last_synced_at, style) },
        { title: "LAST ERROR", cell: (connection) => connection.last_reason ?? "" },
        { title: "FAILING SINCE", cell: (connection) => ago(connection.failing_since, style) },
        { title: "NEXT SYNC", cell: (connection) => ago(connection.next_sync_at, style) },
        { title: "LAST SUCCESS", cell: (connection) => ago(connection.last_success_at, style) },
        { title: "RUNNER", cell: (connection) => connection.runner },
        { title: "SITE", cell: (connection) => connection.site },
        { title: "SOURCE", cell: (connection) => connection.source },
      ],
    )
  },
}

function ago(time: string | null, { now }: Style): string {
  return time === null ? "" : relativeTime(time, now)
}
