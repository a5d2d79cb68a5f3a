import type { ClaimRequest } from "@sitewire/deliveries"
import type { Limiter } from "@sitewire/limiter"
import type { Backlogs } from "./backlogs.ts"

/** What the next claim asks for: of each channel no more than it has permits for, of all together no more than `most`. */
export function claimRequests(
  { toClaim, turns, isClaimable, scanFrom }: Pick<Backlogs, "toClaim" | "turns" | "isClaimable" | "scanFrom">,
  limiter: Pick<Limiter, "capacity" | "kindOf" | "freeOfKind">,
  most: number,
): ClaimRequest[] {
  const requests: ClaimRequest[] = []
  let remaining = most
  const ofKind = {
    quick: remaining,
    slow: limiter.freeOfKind("slow"),
    unknown: limiter.freeOfKind("unknown"),
  }

  /** False for a channel whose kind has changed since it began to wait, because it needs no permit of that kind. */
  function isWaiting(channel: string): boolean {
    const kind = limiter.kindOf(channel)
    return kind !== "quick" && turns[kind].has(channel)
  }

  function request(channel: string): void {
    toClaim.delete(channel)
    turns.slow.delete(channel)
    turns.unknown.delete(channel)
    if (!isClaimable(channel)) return
    const kind = limiter.kindOf(channel)
    if (ofKind[kind] <= 0) {
      if (kind !== "quick") turns[kind].add(channel)
      return
    }
    const limit = Math.min(remaining, ofKind[kind], limiter.capacity(channel))
    if (limit <= 0) return
    requests.push({ channel, limit, from: scanFrom(channel) })
    remaining -= limit
    ofKind[kind] -= limit
  }

  for (const kind of ["slow", "unknown"] as const)
    for (const channel of [...turns[kind]].slice(0, Math.min(remaining, ofKind[kind]))) request(channel)
  for (const channel of toClaim) {
    if (remaining <= 0) break
    if (isWaiting(channel)) toClaim.delete(channel)
    else request(channel)
  }
  return requests
}
