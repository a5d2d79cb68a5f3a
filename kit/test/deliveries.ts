import { createHmac, randomBytes } from "node:crypto"

/** The secret of the examples, and the one that a rotation replaces. */
export const secret = "sws_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
export const olderSecret = "the secret before the rotation"

const site = {
  event: "site.ready",
  channel: "acme",
  reference: "user-4711",
  site_url: "https://bakery.example/",
  console_url: "https://console.bakery.example/",
  name: "Bäckerei",
  email: "owner@bakery.example",
  created_at: "2026-03-01T12:00:00+00:00",
}
export const correctedName = "Konditorei"

const body = (changed: Partial<typeof site> = {}) => Buffer.from(JSON.stringify({ ...site, ...changed }))
const genuine = body()
const corrected = body({ name: correctedName })
const older = body({ site_url: "https://older.example/" })
const garbage = randomBytes(5 << 20)
const notReady = body({ event: "site.paid" })

export type Delivery = { body: Buffer; headers: Record<string, string> }

/** The headers of a delivery, computed here and not by a library of the kit. `sentAt`: Unix time in seconds. */
function headersOf(
  of: Buffer,
  { key = secret, sentAt = Math.floor(Date.now() / 1_000), id = "019aa000-0000-7000-8000-000000000000" } = {},
): Record<string, string> {
  const hmac = (...parts: (string | Buffer)[]) =>
    parts.reduce((mac, part) => mac.update(part), createHmac("sha256", key))
  return {
    "Content-Type": "application/json",
    "X-Sitewire-Signature": `sha256=${hmac(of).digest("hex")}`,
    "X-Sitewire-Delivery": id,
    "X-Sitewire-Attempt": "1",
    "webhook-id": id,
    "webhook-timestamp": String(sentAt),
    "webhook-signature": `v1,${hmac(`${id}.${sentAt}.`, of).digest("base64")}`,
  }
}

const send = (of: Buffer, settings?: Parameters<typeof headersOf>[1]): Delivery => ({
  body: of,
  headers: headersOf(of, settings),
})
export const genuineDelivery = (key: string): Delivery => send(genuine, { key })
const { "X-Sitewire-Signature": signature = "", ...unsigned } = headersOf(genuine)

/** By the names of the rows in docs/partners/receive.md, in the order in which they are sent. */
export const deliveries: Record<string, () => Delivery> = {
  "forged: signed with another secret": () => send(genuine, { key: "forged" }),
  "re-encoded: the same JSON in other bytes": () => ({
    body: Buffer.from(JSON.stringify(site, null, 2)),
    headers: headersOf(genuine),
  }),
  "without a signature": () => ({ body: genuine, headers: unsigned }),
  "a signature in upper case": () => ({
    body: genuine,
    headers: {
      ...unsigned,
      "X-Sitewire-Signature": `sha256=${signature.slice("sha256=".length).toUpperCase()}`,
    },
  }),
  "signed, but no `site.ready`": () => send(notReady),
  "5 MB of garbage": () => send(garbage),
  genuine: () => send(genuine),
  "the same again": () => send(genuine),
  "a correction: the same site with another name": () =>
    send(corrected, { id: "019aa000-0000-7000-8000-000000000001" }),
  "a late retry: the delivery from before the correction": () => send(genuine),
  "signed with the older secret of a rotation": () => send(older, { key: olderSecret }),
}

/** With the scheme `standard-webhooks` of the library for Node. */
export const timedDeliveries: Record<string, () => Delivery> = {
  "signed 15 minutes ago, with Standard Webhooks": () =>
    send(genuine, { sentAt: Math.floor(Date.now() / 1_000) - 900 }),
  "genuine, with Standard Webhooks": () => send(genuine),
}
