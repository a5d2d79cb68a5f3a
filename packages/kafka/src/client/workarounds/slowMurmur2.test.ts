import kafkajsMurmur2 from "kafkajs/src/producer/partitioners/default/murmur2.js"
import { expect, test } from "vitest"
import { murmur2 } from "./slowMurmur2.ts"

/** From the tests of Kafka's own Java client. */
const known: Record<string, number> = {
  "21": -973932308,
  foobar: -790332482,
  "a-little-bit-long-string": -985981536,
  "a-little-bit-longer-string": -1486304829,
  lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8: -58897971,
  abc: 479470107,
}

test("the hash is the one of Kafka's Java client", () => {
  for (const [key, hash] of Object.entries(known)) expect(murmur2(Buffer.from(key)), key).toBe(hash)
})

test("hashing a key is several times faster than with kafkajs", () => {
  const key = Buffer.from("0190d6f5-5a3e-7b1c-9f00-8a2b3c4d5e6f")
  const cpuMs = (hash: (key: Uint8Array) => number) => {
    const before = process.cpuUsage()
    for (let count = 0; count < 20_000; count++) hash(key)
    return process.cpuUsage(before).user / 1_000
  }
  // The least of several measurements, because a compilation or another process's load only adds time.
  const leastCpuMs = (hash: (key: Uint8Array) => number) =>
    Math.min(...Array.from({ length: 7 }, () => cpuMs(hash)))
  expect(leastCpuMs(murmur2)).toBeLessThan(leastCpuMs(kafkajsMurmur2) / 3)
})
