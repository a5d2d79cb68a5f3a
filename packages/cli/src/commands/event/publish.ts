import { randomUUID } from "node:crypto"
import { Option } from "commander"
import { z } from "zod"
import type { CliCommand } from "../../command.ts"
import { Failure, incorrectUsage } from "../../errors/failure.ts"
import { block } from "../../output/block.ts"
import { table } from "../../output/table.ts"
import type { Session } from "../../session/createSession.ts"
import { findKafka } from "../../target/findKafka.ts"
import { missingAdvice } from "../../target/targetSources.ts"
import { type Event, readEvents, readRaw } from "./readEvents.ts"

type Fields = {
  id?: string
  channel?: string
  reference?: string
  siteUrl?: string
  consoleUrl?: string
  name?: string
  email?: string
  createdAt?: string
}
type Options = Fields & { file?: string; raw?: boolean; topicPrefix?: string }

const fieldNames: (keyof Fields)[] = [
  "id",
  "channel",
  "reference",
  "siteUrl",
  "consoleUrl",
  "name",
  "email",
  "createdAt",
]

export const publishEvent: CliCommand = {
  name: "publish",
  description:
    "publish site.paid to Kafka: a site is paid and ready; without --file, generates every field that is not given, except the channel",
  options: [
    new Option("--channel <channel>", "the sales channel; required without --file"),
    new Option("--reference <text>", "the partner's data-ref"),
    new Option("--site-url <url>", "the new site"),
    new Option("--console-url <url>", "the site's management console"),
    new Option("--name <text>", "the site's name"),
    new Option("--email <address>", "the owner's e-mail address"),
    new Option("--created-at <time>", "ISO 8601 with an offset (default: now)"),
    new Option(
      "--id <id>",
      "the event's id; a second event with the same id is not delivered (default: random)",
    ),
    new Option(
      "--file <file>",
      "read a JSON object, a JSON array or NDJSON instead of options; - is standard input",
    ).conflicts(fieldNames),
    new Option("--raw", "publish without checks; with --file one record with exactly the file's bytes"),
    new Option("--topic-prefix <prefix>", "the prefix of the topic's name (TOPIC_PREFIX)"),
  ],
  examples: [
    "sitewire event publish --channel acme",
    "sitewire event publish --channel acme --reference user-4711 --name Bakery --email owner@bakery.example",
    "sitewire event publish --file events.ndjson",
    "echo '{\"channel\":' | sitewire event publish --file - --raw",
  ],
  json: z.object({
    topic: z.string(),
    acknowledged: z.int(),
    data: z.array(z.object({ id: z.string().nullable(), channel: z.string().nullable() })),
  }),
  async run(session, _, options: Options) {
    const target = await findKafka(session)
    if (target === null)
      throw incorrectUsage(
        missingAdvice("Kafka", "--kafka HOST:PORT, KAFKA_BROKERS or a profile with --kafka"),
      )
    const events = await readInput(session, options)
    // Imported here, so that other commands start without the Kafka client.
    const { publishEvents } = await import("./publishEvents.ts")
    const { topic } = await publishEvents(events, target)
    if (options.channel !== undefined && (await isUnknown(session, options.channel)))
      session.note(
        `There is no channel ${options.channel}, so this event becomes invalid (sitewire event list). Create the channel, and replay it.`,
      )
    const data = events.map(({ id, channel }) => ({ id, channel }))
    session.print({ topic, acknowledged: events.length, data }, (_, style) => {
      const [only] = data.length === 1 ? data : []
      return only
        ? block(style, [
            ["event", only.id ?? "(no readable id)"],
            ["channel", only.channel],
            ["topic", topic],
            ["acknowledged", "yes, by all in-sync replicas (acks=all)"],
          ])
        : `${table(style, data, [
            { title: "EVENT", cell: ({ id }) => id ?? "" },
            { title: "CHANNEL", cell: ({ channel }) => channel ?? "" },
          ])}\n\n${data.length} events in ${topic}, acknowledged by all in-sync replicas (acks=all)`
    })
  },
}

/** False if the management API cannot say it: publishing needs Kafka only. */
async function isUnknown(session: Session, channel: string): Promise<boolean> {
  return session
    .callApi((client) => client.readChannel({ id: channel }, { timeoutMs: 3_000 }))
    .then(
      () => false,
      (error) => error instanceof Failure && error.problem?.status === 404,
    )
}

async function readInput(session: Session, { file, raw = false, ...fields }: Options): Promise<Event[]> {
  if (file !== undefined) {
    const bytes = await session.readInput(file, "the events")
    return raw ? [readRaw(bytes)] : readEvents(bytes.toString())
  }
  if (fields.channel === undefined && !raw) {
    throw incorrectUsage(
      "The channel is missing. Give it with --channel, or whole events with --file. To list the channels: sitewire channel list",
    )
  }
  const value = JSON.stringify(completeEvent(fields))
  return raw ? [readRaw(Buffer.from(value))] : readEvents(value)
}

function completeEvent(fields: Fields): object {
  const id = fields.id ?? randomUUID()
  const name = `site-${randomUUID().slice(0, 8)}`
  return {
    id,
    channel: fields.channel,
    reference: fields.reference ?? `ref-${name}`,
    site_url: fields.siteUrl ?? `https://${name}.example/`,
    console_url: fields.consoleUrl ?? `https://${name}.example/console/`,
    name: fields.name ?? `Site ${name}`,
    email: fields.email ?? `owner@${name}.example`,
    created_at: fields.createdAt ?? new Date().toISOString(),
  }
}
