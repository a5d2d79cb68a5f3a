import { type SealingKeys, sealContexts, unseal } from "@sitewire/database"
import { sign, standardWebhooksHeaders } from "@sitewire/signing/sender"
import { parseHeaders } from "../../deliveries/deliveryResponse.ts"
import type { ApiContext } from "../implement.ts"

type Delivery = { id: string; channel_id: string; body: Uint8Array }

/**
 * The headers of a delivery's newest attempt with whole signatures. Stored signatures are shortened, so they are made again by the
 * channel's secrets: those that begin as the stored ones were sent. Null if no attempt has ended, or if the secret that signed it
 * has been retired or cannot be decrypted. Without the channel's own request headers, whose values nobody may read.
 */
export async function sentHeaders(
  { prisma, sealingKeys }: Pick<ApiContext, "prisma" | "sealingKeys">,
  delivery: Delivery,
): Promise<Record<string, string> | null> {
  const attempt = await prisma.attempt.findFirst({
    where: { delivery_id: delivery.id },
    orderBy: [{ number: "desc" }, { started_at: "desc" }],
    select: { request_headers: true },
  })
  if (!attempt?.request_headers) return null
  const shown = parseHeaders(attempt.request_headers)
  const signatures = signaturesOf(delivery, shown, await secretsOf(prisma, sealingKeys, delivery.channel_id))
  const whole = Object.entries(shown)
    .filter(([, value]) => value !== "…")
    .map(([name, value]) => [name, complete(value, signatures)] as const)
  return whole.some(([, value]) => value.includes("…")) ? null : Object.fromEntries(whole)
}

/** Replaces each shortened signature by the one that begins so, if there is one. */
function complete(value: string, signatures: readonly string[]): string {
  return value.replace(
    /(\S+)…/g,
    (shortened, start) => signatures.find((one) => one.startsWith(start)) ?? shortened,
  )
}

function signaturesOf(
  { body }: Delivery,
  shown: Record<string, string>,
  secrets: readonly string[],
): string[] {
  const { "webhook-id": id, "webhook-timestamp": timestamp } = shown
  return secrets.flatMap((secret) => {
    const own = sign(body, secret)
    if (id === undefined || timestamp === undefined) return [own]
    const standard = standardWebhooksHeaders({ id, timestamp: Number(timestamp), body, secrets: [secret] })
    return [own, standard["webhook-signature"]]
  })
}

async function secretsOf(
  prisma: ApiContext["prisma"],
  sealingKeys: SealingKeys,
  channel_id: string,
): Promise<string[]> {
  const channel = await prisma.channel.findUnique({
    where: { id: channel_id },
    select: { secret_id: true, secret_sealed: true, other_secret_id: true, other_secret_sealed: true },
  })
  if (!channel) return []
  const { secret_id, secret_sealed, other_secret_id, other_secret_sealed } = channel
  const open = (id: string, sealed: Uint8Array) =>
    tryUnseal(sealingKeys, sealContexts.signingSecret(channel_id, id), sealed)
  const other = other_secret_id && other_secret_sealed ? open(other_secret_id, other_secret_sealed) : null
  return [open(secret_id, secret_sealed), other].filter((secret) => secret !== null)
}

/** Null if the key that sealed the value is missing. */
function tryUnseal(sealingKeys: SealingKeys, context: string, sealed: Uint8Array): string | null {
  try {
    return unseal(sealingKeys, context, sealed)
  } catch {
    return null
  }
}
