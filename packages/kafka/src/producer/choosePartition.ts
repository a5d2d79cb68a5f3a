import { murmur2 } from "../client/workarounds/slowMurmur2.ts"

/**
 * A key goes to the same partition as with Kafka's other clients. Records without a key go to the `available`
 * partitions in turn, or to all in turn if none is available.
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
