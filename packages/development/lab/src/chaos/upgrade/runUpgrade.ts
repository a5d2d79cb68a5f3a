import { rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { Checkout, ServiceName, SupervisedProcess } from "@sitewire/testkit/installation"
import type { Fault } from "../faults/driveFaults.ts"
import type { MixedLedger } from "../mixed/reconcile.ts"
import { mixedSchedulerVariables, startMixedRun } from "../mixed/startMixedRun.ts"
import { runOnInstallation } from "../runOnInstallation.ts"
import type { RunSettings } from "../settings.ts"
import { addMigration, makeCheckout } from "./makeCheckout.ts"

const retryDelaysMs = [1_000, 3_000, 9_000]
const replicas = 2
const order: readonly ServiceName[] = ["gateway", "scheduler", "dispatcher", "console"]

export type UpgradeLedger = MixedLedger & { migrations: number; replaced: number }

/** What a next release could add to large tables. */
const migrations = {
  "99990101000000_expand": `ALTER TABLE "delivery" ADD COLUMN "of_next_release" TEXT;
ALTER TABLE "sync_window" ADD COLUMN "of_next_release" INTEGER NOT NULL DEFAULT 0;`,
  "99990101000001_index": `CREATE INDEX CONCURRENTLY "of_next_release_idx" ON "delivery"("of_next_release");`,
}

/**
 * Under load of both flows, migrates to the next release, replaces the services one after another, goes back to the
 * previous release, and upgrades again in the reverse order. The next release is this checkout with two more migrations.
 * The previous release is the git ref `from`, or this checkout.
 */
export async function runUpgrade(
  settings: RunSettings & { from: string | undefined },
): Promise<{ ledger: UpgradeLedger; faults: Fault[] }> {
  const { seed, durationMs, quietMs, progress, from } = settings
  const folder = fileURLToPath(new URL(`../../../../.sitewire/upgrade-${process.pid}`, import.meta.url))
  try {
    progress(`copying both releases: from ${from ?? "this checkout"} to this checkout`)
    const previous = await makeCheckout(join(folder, "previous"), from)
    const next = await makeCheckout(join(folder, "next"), undefined)
    for (const [name, script] of Object.entries(migrations)) await addMigration(next.root, name, script)
    // With the default deadline, a gateway responds 503 if the machine is busy with starting processes.
    const env = { GATEWAY_DRAIN_DELAY: "500ms", GATEWAY_DEADLINE: "10s" }
    const options = { ...settings, retryDelaysMs, checkout: previous, env }
    return await runOnInstallation(options, async ({ it, faults }) => {
      const running = new Map<string, SupervisedProcess>()
      const variables = {
        gateway: {},
        scheduler: mixedSchedulerVariables,
        dispatcher: { OVERDUE_AFTER: "30s" },
        console: {},
      }
      let replaced = 0
      const start = async (service: ServiceName, at: number, checkout: Checkout, release: string) => {
        const member = it.service(`${service}-${at}-${release}`, service, () => variables[service], checkout)
        await member.start({ retry: false })
        return member
      }
      /** As a rolling update does: the new replica is ready before the old one is stopped. */
      const replace = async (checkout: Checkout, release: string, services: readonly ServiceName[]) => {
        for (const service of services) {
          for (let at = 1; at <= replicas; at++) {
            const fresh = await start(service, at, checkout, `${release}-${replaced}`)
            const old = running.get(`${service}-${at}`)
            running.set(`${service}-${at}`, fresh)
            await old?.end()
            if (old) replaced += 1
          }
          progress(`${service}s are of the ${release} release`)
          await sleep(durationMs / 16)
        }
      }
      const gateways = () =>
        [...running].filter(([name]) => name.startsWith("gateway")).map(([, member]) => member)
      await replace(previous, "previous", order)
      const mixed = await startMixedRun({
        ...{ it, seed, gateways, progress },
        ...{ eventsPerSecond: 100, triggersPerSecond: 50, connections: 200 },
      })
      await sleep(durationMs / 16)

      const before = await countMigrations(it)
      await it.setUp(retryDelaysMs, {}, next)
      const applied = (await countMigrations(it)) - before
      progress(`the setup job of the next release has applied ${applied} migrations`)
      await replace(next, "next", order)
      await replace(previous, "previous", order)
      await replace(next, "next", order.toReversed())

      const ledger = await mixed.finish(quietMs)
      await Promise.all([...running.values()].map((member) => member.end()))
      const isMigrated = applied >= Object.keys(migrations).length
      const holds = ledger.holds && ledger.rejected === 0 && faults.length === 0 && isMigrated
      return { ...ledger, migrations: applied, replaced, holds }
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function countMigrations({ sql }: { sql: (text: string) => Promise<Record<string, unknown>[]> }) {
  const [row] = await sql(
    "select count(*)::int as count from _prisma_migrations where finished_at is not null",
  )
  return Number(row?.count)
}
