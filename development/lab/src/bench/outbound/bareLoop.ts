import { createHmac, randomUUID } from "node:crypto"
import { Resolver } from "node:dns"
import { readFileSync } from "node:fs"
import { siteReadyBody } from "@sitewire/contracts"
import { Agent, Pool } from "undici"
import { paidEvent } from "../../shared/paidEvent.ts"
import { channelSecret } from "../startBench.ts"
import { partnerCount, partnerUrl } from "./tlsPartners.ts"

export type BareRequests = { perSecond: number; cpuMs: number }

// The baseline of the parts `throughput` and `tls`: a loop that only signs and posts. Bodies, headers and concurrency
// are the same as a dispatcher's. With a name server, it posts to the partners of `tls` in turn. All connections stay open.
const [amount = "0", warmUp = "0", concurrency = "1", target = "", nameServer, issuer = ""] =
  process.argv.slice(2)
const resolver = new Resolver()
if (nameServer !== undefined) resolver.setServers([nameServer])
const tls = nameServer !== undefined && {
  ca: readFileSync(issuer),
  autoSelectFamily: false,
  lookup: (name: string, _: object, done: (error: Error | null, ip: string, family: number) => void) =>
    resolver.resolve4(name, (error, ips) => done(error, ips?.[0] ?? "", 4)),
}
const client = tls
  ? new Agent({ connections: 1, keepAliveTimeout: 600_000, connect: tls })
  : new Pool(target, { connections: Number(concurrency), pipelining: 1 })
const origins = tls ? Array.from({ length: partnerCount }, (_, at) => partnerUrl(at, target)) : [target]
const bodies = Array.from({ length: 1_000 }, (_, at) =>
  siteReadyBody(paidEvent(randomUUID(), `bench-${at % 100}`, `customer-${at}`, String(at))),
)
let next = 0

async function worker(total: number): Promise<void> {
  while (next < total) {
    const origin = origins[next % origins.length] ?? ""
    const body = bodies[next++ % bodies.length] ?? Buffer.alloc(0)
    const headers = {
      "user-agent": "Sitewire/1",
      "content-type": "application/json",
      "X-Sitewire-Signature": `sha256=${createHmac("sha256", channelSecret).update(body).digest("hex")}`,
      "X-Sitewire-Delivery": "019aa000-0000-7000-8000-000000000000",
      "X-Sitewire-Attempt": "1",
    }
    const response = await client.request({ origin, method: "POST", path: "/bare", headers, body })
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
await client.close()
process.disconnect?.()
