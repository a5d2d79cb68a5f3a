import type { ApiContext } from "../defineRoute.ts"

/** For filters by channel: an unknown channel is a 404, because an empty result would hide a misspelt id. */
export async function channelExists(prisma: ApiContext["prisma"], id: string): Promise<boolean> {
  return (await prisma.channel.findUnique({ where: { id }, select: { id: true } })) !== null
}
