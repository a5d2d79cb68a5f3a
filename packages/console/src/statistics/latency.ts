/** Number of attempts by bucket. Bucket n contains durations of up to 2^(n/4) ms that no lower bucket contains. */
export type Latency = Record<string, number>

const bucketsPerDoubling = 4
/** Contains every longer duration. */
const lastBucket = 80

export const bucketOf = (milliseconds: string) =>
  `least(${lastBucket}, ceil(ln(greatest(${milliseconds}, 1)) * ${bucketsPerDoubling / Math.LN2}))::int`

/**
 * The duration in ms that this share of the attempts did not exceed. Null without attempts. A bucket ends 19 %
 * above its begin, so the error is below 19 %.
 */
export function quantile(latency: Latency, share: number): number | null {
  const buckets = Object.entries(latency).map(([bucket, count]) => ({ bucket: Number(bucket), count }))
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  const rank = share * total
  let below = 0
  for (const { bucket, count } of buckets.toSorted((a, b) => a.bucket - b.bucket)) {
    if (below + count >= rank) {
      const within = (rank - below) / count
      return Math.round(2 ** ((bucket - 1 + within) / bucketsPerDoubling) * 10) / 10
    }
    below += count
  }
  return null
}
