import { mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import {
  type Checkout,
  ownCheckout,
  type ServiceName,
  type SupervisedProcess,
} from "@sitewire/testkit/installation"
import { copyCheckout } from "../../shared/copyCheckout.ts"
import { stateFolder } from "../../shared/startLab.ts"
import type { Fault } from "../faults/driveFaults.ts"
import type { MixedLedger } from "../mixed/reconcile.ts"
import { schedulerVariables, startMixed } from "../mixed/startMixed.ts"
import { type ChaosLab, endAll, type RunSettings, runOnLab, shortDelaysMs } from "../run.ts"

const replicas = 2
const order: readonly ServiceName[] = ["gateway", "scheduler", "dispatcher", "console"]

export type UpgradeLedger = MixedLedger & { migrations: number; replaced: number }

/** What a next release could add to large tables. */
const migrations = {
  "99990101000000_expand": `ALTER TABLE "delivery" ADD COLUMN "of_next_release" TEXT;
ALTER TABLE "sync_window" ADD COLUMN "of_next_release" INTEGER NOT NULL DEFAULT 0;`,
  "99990101000001_index": `CREATE INDEX CONCURRENTLY "of_next_release_idx" ON "delivery"("of_next_release");`,
}

const variables: Record<ServiceName, Record<string, string>> = {
  gateway: {},
  scheduler: schedulerVariables,
  dispatcher: {},
  console: {},
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
  const folder = join(stateFolder, `upgrade-${process.pid}`)
  const [previous, next] = ["previous", "next"].map((name) => ({ ...ownCheckout, root: join(folder, name) }))
  if (!previous || !next) throw new Error("there are two releases")
  try {
    progress(`copying both releases: from ${from ?? "this checkout"} to this checkout`)
    await copyCheckout(previous.root, from)
    await copyCheckout(next.root)
    for (const [name, script] of Object.entries(migrations)) {
      const migration = join(next.root, "prisma/migrations", name)
      await mkdir(migration)
      await writeFile(join(migration, "migration.sql"), script)
    }
    const env = { GATEWAY_DRAIN_DELAY: "500ms" }
    return await runOnLab(
      { ...settings, retryDelaysMs: shortDelaysMs, checkout: previous, env },
      async ({ it, faults }) => {
        const running = new Map<string, SupervisedProcess>()
        let replaced = 0
        /** As a rolling update does: the new replica is ready before the old one is stopped. */
        const replace = async (checkout: Checkout, release: string, services: readonly ServiceName[]) => {
          for (const service of services) {
            for (let at = 1; at <= replicas; at++) {
              const name = `${service}-${at}-${release}-${replaced}`
              const fresh = it.service(name, service, () => variables[service], checkout)
              await fresh.start({ retry: false })
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
        const mixed = await startMixed({ it, seed, gateways, progress, rates: settings.rates })
        await sleep(durationMs / 16)

        const before = await countMigrations(it)
        await it.migrate(shortDelaysMs, {}, next)
        const applied = (await countMigrations(it)) - before
        progress(`the setup job of the next release has applied ${applied} migrations`)
        await replace(next, "next", order)
        await replace(previous, "previous", order)
        await replace(next, "next", order.toReversed())

        const ledger = await mixed.finish(quietMs)
        await endAll([...running.values()])
        const isMigrated = applied >= Object.keys(migrations).length
        const holds = ledger.holds && ledger.rejected === 0 && faults.length === 0 && isMigrated
        return { ...ledger, migrations: applied, replaced, holds }
      },
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function countMigrations({ sql }: ChaosLab): Promise<number> {
  const [row] = await sql(
    "select count(*)::int as count from _prisma_migrations where finished_at is not null",
  )
  return Number(row?.count)
}
