import { type Delivery, deliveryStateSchema } from "@sitewire/contracts"
import { type Command, Option } from "commander"
import type { Client } from "../../api/client.ts"
import { describeWait } from "./describeWait.ts"
import { examples } from "../../examples.ts"
import { addPageOptions, gatherPages, noteMore, type PageOptions } from "../../api/readPages.ts"
import { table } from "../../output/table.ts"
import { age, localTime } from "../../output/time.ts"
import type { Setup } from "../../program.ts"

type Options = PageOptions & { channel?: string; state?: string }

export function addDeliveries(parent: Command, { open }: Setup): void {
  const deliveries = parent
    .command("deliveries")
    .description("the deliveries, newest first")
    .option("--channel <channel>", "only this channel's")
    .addOption(new Option("--state <state>", "only in this state").choices(deliveryStateSchema.options))
  addPageOptions(deliveries)
    .addHelpText(
      "after",
      examples(
        "sitewire deliveries",
        "sitewire deliveries --channel acme --state dead --all",
        "sitewire deliveries --state dead --json | jq -r '.data[].id' | xargs -n 1 sitewire delivery resend",
      ),
    )
    .action(async (options: Options, command: Command) => {
      const session = open(command)
      const { channel, state } = options
      const { page, pauses } = await session.ask(async (client) => {
        const page = await gatherPages(options, (query) =>
          client.listDeliveries({ ...query, channel, state }),
        )
        return { page, pauses: await readPauses(client, page.data) }
      })
      session.show(page, ({ data }, style) =>
        data.length === 0
          ? "No deliveries."
          : table(style, data, [
              { title: "ID", cell: (delivery) => delivery.id },
              { title: "CHANNEL", cell: (delivery) => delivery.channel },
              { title: "STATE", cell: (delivery) => delivery.state, paint: style.state },
              { title: "ATTEMPTS", cell: (delivery) => String(delivery.attempts), align: "right" },
              {
                title: "NEXT",
                cell: (delivery) =>
                  describeWait(delivery, {
                    pausedAt: pauses.get(delivery.channel) ?? null,
                    now: style.now,
                    moment: (iso) => age(iso, style.now),
                  }) ?? "",
              },
              { title: "CREATED", cell: (delivery) => localTime(delivery.created_at) },
              { title: "EVENT", cell: (delivery) => delivery.event_id },
            ]),
      )
      noteMore(session, page)
    })
}

/** Of the channels whose deliveries here wait: since when they are paused. */
async function readPauses(client: Client, deliveries: Delivery[]): Promise<Map<string, string | null>> {
  const waiting = deliveries.filter(
    ({ state, next_attempt_at, deferred_at }) => state === "pending" || next_attempt_at || deferred_at,
  )
  const pauses = new Map<string, string | null>()
  for (const id of new Set(waiting.map(({ channel }) => channel))) {
    pauses.set(id, (await client.readChannel(id)).paused_at)
  }
  return pauses
}
