import { type SealingKeys, sealContexts } from "@sitewire/database"
import { testSiteReadyBody } from "@sitewire/signing/certification"
import { sign } from "@sitewire/signing/sender"
import type { ApiContext } from "../../defineRoute.ts"
import { tryUnseal } from "./tryUnseal.ts"

type Prisma = ApiContext["prisma"]
type SignedTest = { secretId: string; testBody: Uint8Array<ArrayBuffer>; testSignature: string }

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
    select: { otherSecretId: true, otherSecretSealed: true },
  })
  if (!row?.otherSecretId || !row.otherSecretSealed) return null
  const secret = tryUnseal(
    sealingKeys,
    sealContexts.signingSecret(channelId, row.otherSecretId),
    row.otherSecretSealed,
  )
  if (secret === null) return null
  const body = testSiteReadyBody(channelId)
  return { secretId: row.otherSecretId, testBody: new Uint8Array(body), testSignature: sign(body, secret) }
}

/** Replaces the one that was retired before. */
export async function storeRetiredSecret(prisma: Prisma, channelId: string, test: SignedTest): Promise<void> {
  const data = { ...test, retiredAt: new Date() }
  await prisma.retiredSecret.upsert({ where: { channelId }, create: { channelId, ...data }, update: data })
}
