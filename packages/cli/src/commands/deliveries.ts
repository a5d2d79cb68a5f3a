import { deliveryStateSchema } from "@sitewire/contracts"
import { type Command, Option } from "commander"
import { examples } from "../examples.ts"
import { addPageOptions, gatherPages, noteMore, type PageOptions } from "../gatherPages.ts"
import { table } from "../printTable.ts"
import { age, localTime } from "../printTime.ts"
import type { Setup } from "../program.ts"

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
      const page = await session.ask((client) =>
        gatherPages(options, (query) => client.listDeliveries({ ...query, channel, state })),
      )
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
                cell: ({ next_attempt_at }) =>
                  next_attempt_at ? nextAttempt(next_attempt_at, style.now) : "",
              },
              { title: "CREATED", cell: (delivery) => localTime(delivery.created_at) },
              { title: "EVENT", cell: (delivery) => delivery.event_id },
            ]),
      )
      noteMore(session, page)
    })
}

/** The time is that of the schedule: a paused or busy channel takes it later. */
function nextAttempt(at: string, now: Date): string {
  const since = age(at, now)
  return Date.parse(at) < now.getTime() ? `waits, was due ${since}` : since
}
