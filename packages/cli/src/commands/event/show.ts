import {
  deliverySchema,
  deliveryWithAttemptsSchema,
  type InvalidEvent,
  invalidEventSchema,
  searchedInvalidEvents,
  type TopicStatus,
} from "@sitewire/contracts"
import { z } from "zod"
import type { Client } from "../../api/client.ts"
import { orNull } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { failed } from "../../errors/failure.ts"
import { block } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"
import { relativeTime } from "../../output/time.ts"
import { readPause } from "../delivery/describeWait.ts"
import { deliveryStory } from "./deliveryStory.ts"
import { adviceFor } from "./replay.ts"

export const showEvent: CliCommand = {
  name: "show",
  description: "show what became of a site.paid event: each step from its publication to its arrival",
  arguments: [["<event>", "the event's id"]],
  notes:
    "A key that may not read deliveries (scope publisher) sees no attempts. While the first attempt is in flight, for up to\n" +
    "10 s, only Kafka has the event: the exit code is then 1, and the message says whether it may be in flight.",
  examples: [
    "sitewire event show order-10042",
    "sitewire event show order-10042 --json | jq -r .delivery.state",
  ],
  json: z.object({
    event_id: z.string(),
    delivery: z.union([deliveryWithAttemptsSchema, deliverySchema]).nullable(),
    invalid: invalidEventSchema.nullable(),
  }),
  async run({ callApi, print, note }, [event_id]: [string]) {
    await callApi(async (client) => {
      const find = async () => (await client.listDeliveries({ event_id })).data[0]
      const early = await find()
      // Read between two searches, because an attempt may have ended meanwhile: without a lag, the second one finds its delivery.
      const paid = early ? undefined : await readSitePaid(client)
      const found = early ?? (await find())
      if (found) {
        const delivery = (await orNull(client.readDelivery({ id: found.id }), [403])) ?? found
        const pausedAt = await readPause(client, delivery.channel)
        print({ event_id, delivery, invalid: null }, (_, style) => deliveryStory(delivery, pausedAt, style))
      } else {
        const invalid = await findInvalid(client, event_id, paid)
        print({ event_id, delivery: null, invalid }, (_, style) => describeInvalid(invalid, style))
        for (const advice of adviceFor([invalid])) note(advice)
      }
    })
  },
}

/** Rejects with an explanation if the event is not invalid either. */
async function findInvalid(client: Client, id: string, paid?: SitePaidTopic): Promise<InvalidEvent> {
  const page = await orNull(client.listInvalidEvents({ event: id, limit: 1 }), [403, 503])
  const [found] = page?.data ?? []
  if (found) return found
  const searched =
    page === null
      ? "Invalid events could not be searched: sitewire event list"
      : `It is not among the newest ${searchedInvalidEvents} invalid events.`
  throw failed(`There is no delivery of the event "${id}". ${whyMissing(paid)} ${searched}`)
}

type SitePaidTopic = Pick<TopicStatus, "lag" | "oldest_unread_at">

async function readSitePaid(client: Client): Promise<SitePaidTopic | undefined> {
  const topics = await orNull(client.listTopics(), [403, 503])
  return topics?.data.find(({ name }) => name.endsWith("site.paid"))
}

function whyMissing(paid?: SitePaidTopic): string {
  const gone = "it was not published here, or its delivery was deleted after its retention."
  if (paid?.lag === 0) return `Dispatchers have finished with all events, so none is in flight: ${gone}`
  const oldest = paid?.oldest_unread_at
    ? `, the oldest from ${relativeTime(paid.oldest_unread_at, new Date())}`
    : ""
  const events = paid?.lag ? `, and dispatchers have not finished with ${paid.lag} events${oldest}` : ""
  return `A delivery is stored when its first attempt ends, at most 10 s after it began${events}. Repeat the command. If there is still none, ${gone}`
}

function describeInvalid({ event_id: event, rejected_at, ...more }: InvalidEvent, style: Style): string {
  const { key, correlation, channel, reason, from: record } = more
  const rejected = `${style.time(rejected_at)}, so it was not delivered`
  return block(style, Object.entries({ event, key, correlation, channel, rejected, reason, record }))
}
