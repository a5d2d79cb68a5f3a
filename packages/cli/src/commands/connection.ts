import { pipeline } from "node:stream/promises"
import type { WindowPage } from "@sitewire/contracts"
import { connectionView, windowView } from "@sitewire/contracts/views"
import { Option } from "commander"
import type { CliCommand, CommandGroup } from "../command.ts"
import { call } from "../derive/call.ts"
import { fieldTable } from "../derive/viewText.ts"
import { describeNetworkError } from "../errors/describeNetworkError.ts"
import { failed } from "../errors/failure.ts"
import { block } from "../output/block.ts"
import type { Style } from "../output/style.ts"

const showSnapshot: CliCommand = {
  name: "show-snapshot",
  description: "print what the connection's last successful sync fetched, byte for byte",
  arguments: [["<connection>", "the connection's id"]],
  options: [
    new Option(
      "--fence <number>",
      "the content of this sync; it is stored for 10 minutes after it was replaced",
    ),
  ],
  examples: [
    "sitewire connection show-snapshot bakery | jq",
    "sitewire connection show-snapshot bakery > data.json",
  ],
  json: "The snapshot itself, which --json does not change.",
  async run({ callApi, note, stdout }, [id]: [string], { fence }: { fence?: string }) {
    const { headers, body } = await callApi((client) => client.readSnapshot({ id, fence }))
    const length = headers.get("content-length")
    const facts = [
      headers.get("content-type"),
      length === null ? null : `${length} bytes`,
      headers.get("last-modified"),
    ]
    note(facts.filter((fact) => fact !== null).join(", "))
    if (body === null) return
    try {
      await pipeline(body, stdout, { end: false })
    } catch (error) {
      throw failed(
        `The snapshot of ${id} is incomplete: ${describeNetworkError(error)}. ` +
          "The connection was interrupted, or the snapshot was replaced more than 10 minutes ago: run the command again.",
      )
    }
  },
}

function describeWindows({ data, pending }: WindowPage, style: Style): string {
  const windows =
    data.length === 0
      ? "No syncs are stored: a trigger starts one, and old ones are deleted."
      : fieldTable(windowView.columns, data, style)
  if (pending === null) return windows
  const { triggers, earliest_start_at } = pending
  const next = block(style, [
    ["pending triggers", String(triggers.count)],
    ["earliest start", style.time(earliest_start_at)],
  ])
  return `${next}\n\n${windows}`
}

export const connection: CommandGroup = {
  name: "connection",
  description: "connections: a partner's data source for a site",
  commands: [
    call("connection create", "createConnection", {
      description: "create a connection; prints its trigger URL and its signing secret",
      options: {
        runner: "who fetches the data (default: pull)",
      },
      examples: [
        "sitewire connection create --site bakery.example --source https://partner.example/data.json",
        "sitewire connection create --id bakery --site bakery.example --source https://executor.example/sync --runner delegate",
        "sitewire connection create --site bakery.example --source https://partner.example/data.json --header-env Authorization=PARTNER_TOKEN",
      ],
      print: connectionView,
      note: () =>
        "The trigger URL contains a secret token, and the signing secret is shown only this once. Give both to the partner only.",
    }),
    call("connection list", "listConnections", {
      description: "list the connections, newest first",
      examples: [
        "sitewire connection list --site bakery.example",
        "sitewire connection list --state failing",
        "sitewire connection list --all --json",
      ],
      none: [
        "No connection matches.",
        "No connections. Create one: sitewire connection create --site HOST --source URL",
      ],
      print: connectionView,
    }),
    call("connection show", "readConnection", {
      description: "show a connection, without its trigger URL by default",
      more: [new Option("--trigger-url", "show the trigger URL too; it contains a secret token")],
      examples: ["sitewire connection show bakery", "sitewire connection show bakery --trigger-url"],
      instead: (_, { triggerUrl }) => (triggerUrl ? "readConnectionTriggerUrl" : undefined),
      print: connectionView,
    }),
    call("connection update", "changeConnection", {
      description: "change a connection's source, runner or request headers, and sync it in the next window",
      examples: [
        "sitewire connection update bakery --source https://partner.example/v2/data.json",
        "sitewire connection update bakery --header-env Authorization=PARTNER_TOKEN",
      ],
      print: connectionView,
      note: () => "The snapshot contains the content from before the change until a sync has succeeded.",
    }),
    call("connection delete", "deleteConnection", {
      description:
        "delete a connection with its syncs and its content; its trigger URL responds with 404 at once",
      async confirm(client, { id }) {
        const { site } = await client.readConnection({ id })
        return `Delete the connection "${id}" of ${site}, its syncs and its content? This cannot be undone.`
      },
      print: ({ id, site }) =>
        `The connection "${id}" of ${site} is deleted. Its trigger URL responds with 404 from now on.`,
    }),
    call("connection replace-token", "replaceConnectionToken", {
      description:
        "replace a connection's token and thereby its trigger URL; the old URL responds with 404 at once",
      async confirm(client, { id }) {
        const { site } = await client.readConnection({ id })
        return `Replace the token of the connection "${id}" of ${site}? Its trigger URL stops working at once, and this cannot be undone.`
      },
      print: connectionView,
      note: () =>
        "The old trigger URL responds with 404 from now on. The new one contains a secret token: give it to the partner only.",
    }),
    call("connection replace-secret", "replaceConnectionSecret", {
      description:
        "replace the secret that signs the requests to a connection's source, and print the new one",
      async confirm(client, { id }) {
        const { site } = await client.readConnection({ id })
        return `Replace the signing secret of the connection "${id}" of ${site}? Requests to its source are signed with the new one from the next sync on, and this cannot be undone.`
      },
      print: connectionView,
      note: () =>
        "The signing secret is shown only this once. Give it to the partner only. A source that verifies rejects the " +
        "syncs until it has the new one; they are retried.",
    }),
    call("connection sync", "requestSync", {
      description:
        "sync a connection as soon as its window allows, as if the partner had called the trigger URL",
      print: ({ connection, earliest_start_at }, style) =>
        `A sync of "${connection}" is requested. Earliest start: ${style.time(earliest_start_at)}.`,
      note: (_, { id }) => `See its outcome with: sitewire connection windows ${id}`,
    }),
    call("connection windows", "listWindows", {
      description: "list a connection's windows, newest first: which triggers were merged into which sync",
      examples: ["sitewire connection windows bakery", "sitewire connection windows bakery --limit 5 --json"],
      print: describeWindows,
    }),
    showSnapshot,
  ],
}
