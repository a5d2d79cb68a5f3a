import { problem } from "../../../http/problems.ts"
import type { Problem } from "../../../http/response.ts"
import type { ApiContext } from "../../implement.ts"

const minuteMs = 60_000

const limits = {
  // Otherwise a key could have a dispatcher call many addresses.
  address_change: {
    code: "too-many-address-changes",
    what: "The address of this channel may be changed",
    most: [
      { most: 5, withinMs: minuteMs, span: "a minute" },
      { most: 50, withinMs: 24 * 60 * minuteMs, span: "a day" },
    ],
  },
} as const

/** A problem if a channel had as many checks of this kind as it may. Call it with the channel locked. */
export async function rejectMany(
  prisma: ApiContext["prisma"],
  channelId: string,
  kind: keyof typeof limits,
): Promise<Problem | null> {
  const { code, what, most: all } = limits[kind]
  for (const { most, withinMs, span } of all) {
    const oldest = await prisma.receiverCheck.findFirst({
      where: { channel_id: channelId, kind, created_at: { gt: new Date(Date.now() - withinMs) } },
      orderBy: { created_at: "desc" },
      skip: most - 1,
      select: { created_at: true },
    })
    if (!oldest) continue
    const retryAfterSeconds = Math.ceil((oldest.created_at.getTime() + withinMs - Date.now()) / 1_000)
    const detail = `${what} ${most} times in ${span}, attempts included. Try again in ${retryAfterSeconds} seconds.`
    return { ...problem(code, detail), retryAfterSeconds }
  }
  return null
}
