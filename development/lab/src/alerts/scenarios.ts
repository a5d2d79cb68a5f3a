import { setTimeout as sleep } from "node:timers/promises"
import type { StartedBackingService } from "@sitewire/testkit/backing"
import type { SupervisedProcess } from "@sitewire/testkit/installation"
import type { System } from "./startSystem.ts"

export type Scenario = {
  cause: string
  /** Alerts that fire because of it. Others may, too. */
  alerts: string[]
  /** Alerts that fire only when the cause has ended: syncs and first attempts are late when they end. */
  alertsAfterwards?: string[]
  /** Returns what ends the cause. */
  begin(system: System): Promise<() => Promise<unknown>>
}

export const scenarios: Scenario[] = [
  {
    cause: "the only gateway is stopped",
    alerts: ["SitewireProcessMissing"],
    begin: ({ services }) => stop(services.gateway),
  },
  {
    cause: "the only console is stopped",
    alerts: ["SitewireConsoleMissing"],
    begin: ({ services }) => stop(services.console),
  },
  {
    cause: "one of two dispatchers has other sealing keys",
    alerts: ["SitewireReplicaNotReady", "SitewireDeliveryFaults"],
    async begin({ services: { secondDispatcher }, faulty }) {
      const restart = async (sealingKeys: string | undefined) => {
        await secondDispatcher.end()
        faulty.sealingKeys = sealingKeys
        await secondDispatcher.start()
      }
      await restart(`k1:${Buffer.alloc(32).toString("base64")}`)
      return () => restart(undefined)
    },
  },
  {
    cause: "an event without its required fields is published",
    alerts: ["SitewireInvalidEvents"],
    async begin({ publish, names }) {
      const event = { id: "invalid", channel: "channel-0" }
      await publish([{ topic: names.sitePaid, key: event.id, value: JSON.stringify(event) }])
      return async () => {}
    },
  },
  {
    cause: "Postgres is stopped",
    alerts: [
      "SitewireNotReady",
      "SitewireMeasurementMissing",
      "SitewireTriggersRejected",
      "SitewireTriggersRejectedSlowly",
      "SitewireConsoleFails",
    ],
    begin: ({ servers }) => kill(servers.postgres),
  },
  {
    cause: "the value of a connection's row is out of range",
    alerts: ["SitewireSyncsNotGranted"],
    async begin({ sql }) {
      const set = (fence: string) =>
        sql(`update sync_window set fence = ${fence} where connection_id = 'connection-0'`)
      await set("9223372036854775807")
      return () => set("1000000")
    },
  },
  {
    cause: "another transaction has locked the table of windows",
    alerts: ["SitewireTriggersWait", "SitewireSyncsOverdue", "SitewireOverdue", "SitewireOverdueSlowly"],
    alertsAfterwards: ["SitewireSyncsLate", "SitewireSyncsLateSlowly"],
    // Writers of windows wait. Readers do not.
    async begin({ pool }) {
      const client = await pool.driver.connect()
      await client.query("begin")
      await client.query("lock table sync_window in exclusive mode")
      return async () => {
        await client.query("rollback")
        client.release()
      }
    },
  },
  {
    cause: "all partners respond 503",
    alerts: ["SitewireAttemptsFail", "SitewireAttemptsFailSlowly", "SitewireDeliveriesDie"],
    async begin({ partners }) {
      await partners.behave("break")
      return () => partners.behave("heal")
    },
  },
  {
    cause: "Postgres becomes read-only, like a replica, while retries wait",
    alerts: ["SitewireEventsWait", "SitewireDeliveriesOverdue"],
    alertsAfterwards: ["SitewireDeliveriesLateSlowly"],
    async begin({ partners, sql }) {
      const setReadOnly = async (value: string) => {
        await sql(`alter system set default_transaction_read_only = ${value}`)
        await sql("select pg_reload_conf()")
      }
      await partners.behave("break")
      await sleep(2_000)
      await setReadOnly("on")
      await partners.behave("heal")
      return () => setReadOnly("off")
    },
  },
  {
    cause: "one of two brokers is stopped",
    alerts: ["SitewirePartitionsUnavailable"],
    begin: ({ servers }) => kill(servers.brokers[1]),
  },
]

async function stop(service: SupervisedProcess) {
  await service.end()
  return () => service.start()
}

async function kill(server: StartedBackingService | undefined) {
  await server?.halt("kill")
  return async () => server?.resume()
}
