import type { StreamedDelivery } from "@sitewire/contracts"

/**
 * Recognises the attempts in a stream of changes. Each change of a delivery repeats its last attempt, so attempts are remembered:
 * the newest `most`. What ended no later than a forgotten one does not count as new.
 */
export function createAttemptMemory({ since, most = 10_000 }: { since: number; most?: number }) {
  const ends = new Map<string, number>()
  let followedSince = since

  return function isNew({ id, last_attempt: last }: StreamedDelivery): boolean {
    if (last === null) return false
    const endedAt = Date.parse(last.started_at) + last.duration_ms
    const attempt = `${id} ${last.number} ${last.started_at}`
    if (endedAt < followedSince || ends.has(attempt)) return false
    ends.set(attempt, endedAt)
    const [oldest] = ends
    if (ends.size > most && oldest) {
      ends.delete(oldest[0])
      followedSince = Math.max(followedSince, oldest[1] + 1)
    }
    return true
  }
}
