import { type SealingKeys, sealContexts } from "@sitewire/database"
import { testSiteReadyBody } from "@sitewire/signing/certification"
import { sign } from "@sitewire/signing/sender"
import type { ApiContext } from "../../defineRoute.ts"
import { tryUnseal } from "./tryUnseal.ts"

type Prisma = ApiContext["prisma"]
type SignedTest = { secret_id: string; test_body: Uint8Array<ArrayBuffer>; test_signature: string }

/**
 * Signs fictional data by the channel's secret that is not active. Null if there is none, or the key that sealed it
 * is missing: a secret can be retired nevertheless.
 */
export async function signTestBody(
  prisma: Prisma,
  sealingKeys: SealingKeys,
  channelId: string,
): Promise<SignedTest | null> {
  const row = await prisma.channel.findUnique({
    where: { id: channelId },
    select: { other_secret_id: true, other_secret_sealed: true },
  })
  if (!row?.other_secret_id || !row.other_secret_sealed) return null
  const secret = tryUnseal(
    sealingKeys,
    sealContexts.signingSecret(channelId, row.other_secret_id),
    row.other_secret_sealed,
  )
  if (secret === null) return null
  const body = testSiteReadyBody(channelId)
  return {
    secret_id: row.other_secret_id,
    test_body: new Uint8Array(body),
    test_signature: sign(body, secret),
  }
}

/** Replaces the one that was retired before. */
export async function storeRetiredSecret(prisma: Prisma, channelId: string, test: SignedTest): Promise<void> {
  const data = { ...test, retired_at: new Date() }
  await prisma.retiredSecret.upsert({
    where: { channel_id: channelId },
    create: { channel_id: channelId, ...data },
    update: data,
  })
}
