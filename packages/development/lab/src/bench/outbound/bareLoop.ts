import { createHmac, randomUUID } from "node:crypto"
import { siteReadyBody } from "@sitewire/contracts"
import { Pool } from "undici"
import { paidEvent } from "../../shared/paidEvent.ts"
import { channelSecret } from "../startBench.ts"
import type { BareRequests } from "./throughput.ts"

// The baseline of the part `throughput`: a loop that only signs and posts. Bodies, headers and concurrency
// are the same as a dispatcher's.
const [url = "", amount = "0", warmUp = "0", concurrency = "1"] = process.argv.slice(2)
const pool = new Pool(url, { connections: Number(concurrency), pipelining: 1 })
const bodies = Array.from({ length: 1_000 }, (_, at) =>
  siteReadyBody(paidEvent(randomUUID(), `bench-${at % 100}`, `customer-${at}`, String(at))),
)
let next = 0

async function worker(total: number): Promise<void> {
  while (next < total) {
    const body = bodies[next++ % bodies.length] ?? Buffer.alloc(0)
    const headers = {
      "user-agent": "Sitewire/1",
      "content-type": "application/json",
      "X-Sitewire-Signature": `sha256=${createHmac("sha256", channelSecret).update(body).digest("hex")}`,
      "X-Sitewire-Delivery": "019aa000-0000-7000-8000-000000000000",
      "X-Sitewire-Attempt": "1",
    }
    const response = await pool.request({ method: "POST", path: "/bare", headers, body })
    await response.body.dump()
  }
}

async function run(total: number): Promise<BareRequests> {
  next = 0
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  await Promise.all(Array.from({ length: Number(concurrency) }, () => worker(total)))
  const { user, system } = process.cpuUsage(cpuBefore)
  const perSecond = (total / (performance.now() - startedAt)) * 1_000
  return { perSecond, cpuMs: (user + system) / 1_000 / total }
}

await run(Number(warmUp))
const result = await run(Number(amount))
process.send?.({ result })
await pool.close()
process.disconnect?.()
