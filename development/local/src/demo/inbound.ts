import { randomBytes } from "node:crypto"
import type { Sync } from "@sitewire/contracts"
import type { Cast } from "./outbound.ts"

const windowMs = 60_000

/**
 * Demonstrates a connection: a burst of triggers becomes one sync, later triggers become exactly one more,
 * and its token is replaced.
 */
export async function demonstrateInbound({ client, partner, story }: Cast): Promise<void> {
  const id = `demo-${randomBytes(3).toString("hex")}`
  story.step("A connection is added")
  const source = partner.sourceAddress(id)
  const connection = await client.createConnection({ body: { id, site: "shop.example", source } })
  story.result(`connection ${id}, source ${source}`)
  story.result("its trigger URL contains the token, so it is not shown here")

  story.step("Fifty triggers in a burst become one sync")
  const burst = await Promise.all(Array.from({ length: 50 }, () => trigger(connection.trigger_url)))
  const accepted = burst.filter((status) => status === 202)
  story.check(accepted.length === burst.length, `all ${burst.length} triggers got 202`)
  const [first] = await story.until("the sync", 15_000, () => finishedSyncs(1))
  story.result(describe(first))
  story.check(first?.triggers === 50, "one sync covers all 50 triggers")
  story.check(first?.outcome === "changed", "the partner's data was fetched and stored")

  story.step("Later triggers in the same window become exactly one more")
  await partner.changeSource(id, { name: id, items: ["a new table"] })
  const later: number[] = []
  while (later.length < 3) later.push(await trigger(connection.trigger_url))
  story.check(later.join() === "202,202,202", "three more triggers got 202")
  story.result("the next window opens 60 s after the first start; this waits for it")
  const both = await story.until("the second sync", 75_000, () => finishedSyncs(2))
  const second = both[0]
  story.result(describe(second))
  story.check(second?.triggers === 3, "one more sync covers the three later triggers")
  const fetches = await partner.fetches(id)
  const apart = Date.parse(fetches[1]?.at ?? "") - Date.parse(fetches[0]?.at ?? "")
  story.check(fetches.length === 2, "the partner's source was called exactly twice")
  story.check(apart >= windowMs, `and never more than once a minute: ${(apart / 1000).toFixed(2)} s apart`)

  story.step("The token is replaced")
  const replaced = await client.replaceConnectionToken({ id })
  story.check((await trigger(connection.trigger_url)) === 404, "the old trigger URL responds with 404")
  story.check((await trigger(replaced.trigger_url)) === 202, "the new trigger URL responds with 202")

  async function finishedSyncs(count: number): Promise<Sync[] | undefined> {
    const { data } = await client.listSyncs({ connection: id })
    const finished = data.filter((sync) => sync.finished_at !== null)
    return finished.length >= count ? finished : undefined
  }
}

async function trigger(triggerUrl: string): Promise<number> {
  const response = await fetch(triggerUrl, { method: "POST" })
  await response.arrayBuffer()
  return response.status
}

function describe(sync: Sync | undefined): string {
  if (!sync) return "no sync"
  const took = Date.parse(sync.finished_at ?? "") - Date.parse(sync.started_at)
  const waited = Date.parse(sync.started_at) - Date.parse(sync.first_trigger_at ?? "")
  return (
    `    sync ${sync.fence}: ${sync.outcome}, ${sync.triggers} triggers, ` +
    `started ${(waited / 1000).toFixed(2)} s after the first of them, took ${took} ms`
  )
}
