import type { ApiContext } from "../defineRoute.ts"

/**
 * For routes that filter by channel: they respond 404 to an unknown channel, because an empty result would
 * hide a misspelt id.
 */
export async function channelExists(prisma: ApiContext["prisma"], id: string): Promise<boolean> {
  return (await prisma.channel.findUnique({ where: { id }, select: { id: true } })) !== null
}
