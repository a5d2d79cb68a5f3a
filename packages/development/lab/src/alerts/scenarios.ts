import { setTimeout as sleep } from "node:timers/promises"
import type { System } from "./startSystem.ts"

export type Scenario = {
  cause: string
  /** Alerts that fire because of it. Others may, too. */
  alerts: string[]
  /** Alerts that fire only when the cause has ended: syncs are late when they end. */
  alertsAfterwards?: string[]
  /** Returns what ends the cause. */
  begin(system: System): Promise<() => Promise<unknown>>
}

export const scenarios: Scenario[] = [
  {
    cause: "the only gateway is stopped",
    alerts: ["SitewireProcessMissing"],
    async begin({ services: { gateway } }) {
      await gateway.end()
      return () => gateway.start()
    },
  },
  {
    cause: "the only console is stopped",
    alerts: ["SitewireConsoleMissing"],
    async begin({ services: { console } }) {
      await console.end()
      return () => console.start()
    },
  },
  {
    cause: "one of two dispatchers has other sealing keys",
    alerts: ["SitewireReplicaNotReady", "SitewireDeliveryFaults"],
    async begin({ services: { secondDispatcher }, faulty }) {
      const restart = async (sealingKeys: boolean) => {
        await secondDispatcher.end()
        faulty.sealingKeys = sealingKeys
        await secondDispatcher.start()
      }
      await restart(true)
      return () => restart(false)
    },
  },
  {
    cause: "an event without its required fields is published",
    alerts: ["SitewireInvalidEvents"],
    async begin({ publishInvalid }) {
      await publishInvalid()
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
    async begin({ postgres }) {
      await postgres.halt("kill")
      return () => postgres.resume()
    },
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
    alerts: ["SitewireTriggersWait", "SitewireSyncsOverdue"],
    alertsAfterwards: ["SitewireSyncsLate"],
    begin: ({ lockWindows }) => lockWindows(),
  },
  {
    cause: "all partners respond 503",
    alerts: ["SitewireAttemptsFail", "SitewireAttemptsFailSlowly", "SitewireDeliveriesDie"],
    async begin({ outside }) {
      outside.accepts = false
      return async () => {
        outside.accepts = true
      }
    },
  },
  {
    cause: "Postgres becomes read-only, like a replica, while retries wait",
    alerts: ["SitewireEventsWait", "SitewireDeliveriesOverdue"],
    async begin({ outside, setReadOnly }) {
      outside.accepts = false
      await sleep(2_000)
      await setReadOnly(true)
      outside.accepts = true
      return () => setReadOnly(false)
    },
  },
  {
    cause: "one of two brokers is stopped",
    alerts: ["SitewirePartitionsUnavailable"],
    async begin({ secondBroker }) {
      await secondBroker?.halt("kill")
      return async () => secondBroker?.resume()
    },
  },
]
