import type { Delivery } from "@sitewire/contracts"
import type { Access } from "../../api/access.ts"
import { api, postDryRun } from "../../api/client.ts"
import { hasCode, isNotFound } from "../../api/failure.ts"
import { formatTime } from "../../format.ts"
import { deliveryStates, pageNames } from "../../words.ts"

export type Hit = {
  key: string
  kind: string
  title: string
  more?: string
  /** In a second line. */
  detail?: string
  link: { to: string; params?: object }
}

/** `failed`: what could not be searched, such as `Deliveries`. */
type Found = { hits: Hit[]; failed: string[] }

const limit = 5
/** No URL contains an e-mail address, or a part of one. */
const isAddress = (text: string) => text.includes("@")
const isUuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** An e-mail address, by which the session may not find deliveries. */
export const isUnsearched = (text: string, { reads, erases }: Access) => isAddress(text) && !(reads && erases)

/** Everything that the session may see and that the text names, and what could not be searched. */
export async function searchEverything(text: string, access: Access, signal: AbortSignal): Promise<Found> {
  const { reads, channels, sites, connections } = access
  if (isUnsearched(text, access)) return { hits: [], failed: [] }
  if (isAddress(text)) return outcomeOf("deliveries", findDeliveriesOf(text, signal))
  const deliveries = reads || channels.length > 0
  const url = siteUrlOf(text)
  const searches: Promise<Found>[] = [
    ...(deliveries ? [outcomeOf("channels", findChannels(text, signal))] : []),
    ...(reads || sites.length > 0 || connections.length > 0
      ? [outcomeOf("connections", findConnections(text, signal))]
      : []),
    ...(deliveries && isUuid.test(text) ? [outcomeOf("deliveries", findDelivery(text, signal))] : []),
    ...(deliveries && !isUuid.test(text)
      ? [
          outcomeOf("deliveries", findDeliveries({ event_id: text }, signal)),
          outcomeOf("deliveries", findDeliveries({ reference: text }, signal)),
        ]
      : []),
    ...(deliveries && url ? [outcomeOf("deliveries", findDeliveries({ site_url: url }, signal))] : []),
  ]
  const all = await Promise.all(searches)
  const hits = all.flatMap((one) => one.hits)
  return {
    hits: [...new Map(hits.map((hit) => [hit.key, hit])).values()],
    failed: [...new Set(all.flatMap(({ failed }) => failed))],
  }
}

/** A text that cannot be an id, or is one of nothing, finds nothing. That is no failure. */
async function outcomeOf(
  what: "channels" | "connections" | "deliveries",
  search: Promise<Hit[]>,
): Promise<Found> {
  try {
    return { hits: await search, failed: [] }
  } catch (error) {
    const isNone = isNotFound(error) || hasCode(error, "invalid-request")
    return { hits: [], failed: isNone ? [] : [pageNames[what]] }
  }
}

/** `bakery.example` is found as `https://bakery.example`. */
function siteUrlOf(text: string): string | null {
  if (/^https?:\/\//.test(text)) return URL.canParse(text) ? text : null
  return /^[^\s/]+\.[^\s/]+$/.test(text) && URL.canParse(`https://${text}`) ? `https://${text}` : null
}

async function findChannels(q: string, signal: AbortSignal): Promise<Hit[]> {
  const { data } = await api.listChannels({ q, limit }, { signal })
  return data.map(({ id, address }) => ({
    key: `channel ${id}`,
    kind: "Channel",
    title: id,
    more: address,
    link: { to: "/channels/$id", params: { id } },
  }))
}

async function findConnections(q: string, signal: AbortSignal): Promise<Hit[]> {
  const { data } = await api.listConnections({ q, limit }, { signal })
  return data.map(({ id, site }) => ({
    key: `connection ${id}`,
    kind: "Connection",
    title: id,
    more: site,
    link: { to: "/connections/$id", params: { id } },
  }))
}

async function findDelivery(id: string, signal: AbortSignal): Promise<Hit[]> {
  const delivery = await api.readDelivery({ id }, { signal })
  return [hitOf(delivery, [delivery.body?.reference, delivery.body?.site_url])]
}

/** By the keyed digest, as an erasure finds them. Rejects if the count was stopped before it had read all. */
async function findDeliveriesOf(email: string, signal: AbortSignal): Promise<Hit[]> {
  const body = { email, reason: "Search", dry_run: true }
  const counted = await postDryRun.createErasureJob({ body }, { signal })
  if (!("complete" in counted && counted.complete)) throw new Error("The count took too long")
  const ids = counted.newest ?? []
  return (await Promise.all(ids.map((id) => findDelivery(id, signal)))).flat()
}

async function findDeliveries(
  query: { event_id: string } | { reference: string } | { site_url: string },
  signal: AbortSignal,
): Promise<Hit[]> {
  const { data } = await api.listDeliveries({ ...query, limit }, { signal })
  return data.map((delivery) => hitOf(delivery, [delivery.reference, delivery.site_url]))
}

/** Ids are alike to people: the time, the reference and the site tell them apart. */
function hitOf({ id, event_id, channel, state, created_at }: Delivery, about: unknown[]): Hit {
  return {
    key: `delivery ${id}`,
    kind: "Delivery",
    title: event_id,
    more: `${channel} · ${deliveryStates[state]}`,
    detail: [
      formatTime(new Date(created_at), "near"),
      ...about.filter((text) => typeof text === "string"),
    ].join(" · "),
    link: { to: "/deliveries/$id", params: { id } },
  }
}
