import type { Parts } from "../defineRoute.ts"

/** A filter by a channel that does not exist is a slip of the pen: nothing matches, which must not look like success. */
export async function hasChannel(prisma: Parts["prisma"], id: string): Promise<boolean> {
  return (await prisma.channel.findUnique({ where: { id }, select: { id: true } })) !== null
}
