import { randomUUID } from "node:crypto"
import { type Command, Option } from "commander"
import { examples } from "../../examples.ts"
import { usage } from "../../errors/failure.ts"
import { block } from "../../output/block.ts"
import { table } from "../../output/table.ts"
import type { Setup } from "../../program.ts"
import { publishEvents } from "./publishEvents.ts"
import { type Event, readEvents, readRaw } from "./readEvents.ts"
import type { Session } from "../../session/openSession.ts"
import { findKafka } from "../../target/findApi.ts"

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
type Options = Fields & { file?: string; raw?: boolean }

export function addPublishSitePaid(parent: Command, { open }: Setup): void {
  parent
    .command("site.paid")
    .description("say that a site is paid and ready; what is not given is made up, except the channel")
    .option("--channel <channel>", "the sales channel")
    .option("--reference <text>", "the partner's data-ref")
    .option("--site-url <url>", "the new site")
    .option("--console-url <url>", "the site's management console")
    .option("--name <text>", "the site's name")
    .option("--email <address>", "the owner's contact address")
    .option("--created-at <time>", "ISO 8601 with an offset; now if left out")
    .option("--id <id>", "the event's id; random if left out. A second event with the same id is ignored")
    .addOption(
      new Option(
        "--file <file>",
        "a JSON object, a JSON array or NDJSON instead of flags; - is standard input",
      ).conflicts(["channel", "reference", "siteUrl", "consoleUrl", "name", "email", "createdAt", "id"]),
    )
    .option("--raw", "do not check: with --file one record of exactly its bytes, to see what bad input gets")
    .option("--topic-prefix <prefix>", "stands before the topic's name (TOPIC_PREFIX)")
    .addHelpText(
      "after",
      examples(
        "sitewire publish site.paid --channel acme",
        "sitewire publish site.paid --channel acme --reference user-4711 --name Bakery --email owner@bakery.example",
        "sitewire publish site.paid --file events.ndjson",
        "echo '{\"channel\":' | sitewire publish site.paid --file - --raw",
      ),
    )
    .action(async (options: Options, command: Command) => {
      const session = open(command)
      const target = findKafka(session)
      const events = await collect(session, options)
      const { topic } = await publishEvents(events, target)
      const data = events.map(({ id, channel }) => ({ id, channel }))
      session.show({ topic, acknowledged: events.length, data }, (_, style) => {
        const [only] = data.length === 1 ? data : []
        return only
          ? block(style, [
              ["event", only.id ?? "(no id that could be read)"],
              ["channel", only.channel],
              ["topic", topic],
              ["acknowledged", "yes, by all in-sync replicas (acks=all)"],
            ])
          : `${table(style, data, [
              { title: "EVENT", cell: ({ id }) => id ?? "" },
              { title: "CHANNEL", cell: ({ channel }) => channel ?? "" },
            ])}\n\n${data.length} events in ${topic}, acknowledged by all in-sync replicas (acks=all)`
      })
    })
}

async function collect(session: Session, { file, raw = false, ...fields }: Options): Promise<Event[]> {
  if (file !== undefined) {
    const bytes = await session.readInput(file, "the events")
    return raw ? [readRaw(bytes)] : readEvents(bytes.toString())
  }
  if (fields.channel === undefined && !raw) {
    throw usage(
      "Name the channel with --channel, or give whole events with --file. The channels: sitewire channel list",
    )
  }
  const value = JSON.stringify(fillIn(fields))
  return raw ? [readRaw(Buffer.from(value))] : readEvents(value)
}

function fillIn(fields: Fields): object {
  const id = fields.id ?? randomUUID()
  const made = `site-${randomUUID().slice(0, 8)}`
  return {
    id,
    channel: fields.channel,
    reference: fields.reference ?? `ref-${made}`,
    site_url: fields.siteUrl ?? `https://${made}.example/`,
    console_url: fields.consoleUrl ?? `https://${made}.example/console/`,
    name: fields.name ?? `Site ${made}`,
    email: fields.email ?? `owner@${made}.example`,
    created_at: fields.createdAt ?? new Date().toISOString(),
  }
}
