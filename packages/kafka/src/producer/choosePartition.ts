/**
 * The partition that other clients choose for the same key, by Kafka's murmur2. kafkajs's own partitioner agrees, but
 * computes with big integers: a twentieth of a busy gateway's time. Records without a key go round the partitions in
 * `available`, or round all where none is.
 */
export function createPartitionChooser() {
  let next = Math.floor(Math.random() * 1_000)
  return (key: string | Uint8Array | null, partitions: number, available: readonly number[]): number => {
    if (key !== null)
      return (murmur2(typeof key === "string" ? Buffer.from(key) : key) & 0x7fffffff) % partitions
    next += 1
    return available[next % available.length] ?? next % partitions
  }
}

const seed = 0x9747b28c
const factor = 0x5bd1e995

/** MurmurHash2 of 32 bits with the seed that Kafka's clients use. A signed number. */
export function murmur2(data: Uint8Array): number {
  const { length } = data
  const byte = (at: number) => data[at] ?? 0
  let hash = seed ^ length
  let at = 0
  for (; at + 4 <= length; at += 4) {
    const four = byte(at) | (byte(at + 1) << 8) | (byte(at + 2) << 16) | (byte(at + 3) << 24)
    const mixed = Math.imul(four, factor)
    hash = Math.imul(hash, factor) ^ Math.imul(mixed ^ (mixed >>> 24), factor)
  }
  if (at < length) {
    hash = Math.imul(hash ^ (byte(at) | (byte(at + 1) << 8) | (byte(at + 2) << 16)), factor)
  }
  hash = Math.imul(hash ^ (hash >>> 13), factor)
  return hash ^ (hash >>> 15)
}
