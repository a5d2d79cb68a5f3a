import { setTimeout as sleep } from "node:timers/promises"
import type { LocalService } from "@sitewire/testkit/backing"
import type { SupervisedProcess } from "@sitewire/testkit/installation"
import type { Random } from "../../shared/random.ts"
import type { Lab } from "../../shared/startLab.ts"
import type { FaultKind, FaultWork } from "./driveFaults.ts"
import { freeze } from "./freeze.ts"
import type { lockPartner } from "./lockPartner.ts"

export type CommonFaultSettings = {
  random: Random
  it: {
    servers: Lab["servers"]
    /** Delays each response of Postgres to the services. */
    delayPostgres: (ms: number) => void
    lockPartner: (random: Random) => ReturnType<typeof lockPartner>
  }
  services: SupervisedProcess[][]
  extras: SupervisedProcess[]
  /** How long a stopped broker stays down, at least and at most. */
  brokerDownMs: [number, number]
  /**
   * How long a paused process or broker stays paused: longer than 10 s, the session timeout of a consumer
   * group, so that a paused member loses its partitions.
   */
  pausedMs: [number, number]
  /** How long Postgres is slow, or rows are locked. */
  degradedMs: number
}

export function commonFaults(settings: CommonFaultSettings): Partial<Record<FaultKind, FaultWork>> {
  const { random, it, services, extras } = settings
  const members = services.flat()
  const { postgres, brokers } = it.servers
  const wait = ([from, to]: [number, number]) => sleep(random.between(from, to))
  const brokerName = (broker: LocalService) =>
    brokers.length > 1 ? `broker-${brokers.indexOf(broker) + 1}` : "broker"

  async function stopBroker(): Promise<string> {
    const broker = random.pick(brokers)
    await broker.halt(random.pick(["orderly", "kill"]))
    await wait(settings.brokerDownMs)
    await broker.resume()
    return brokerName(broker)
  }
  async function pauseBroker(): Promise<string> {
    const broker = random.pick(brokers)
    const unfreeze = await freeze(broker)
    await wait(settings.pausedMs)
    await unfreeze()
    return brokerName(broker)
  }
  async function restartPostgres(how: "orderly" | "kill"): Promise<string> {
    await postgres.halt(how)
    await wait([0, 3_000])
    await postgres.resume()
    return "Postgres"
  }

  /**
   * Kills processes of a service while Postgres or a broker is unavailable, so that they die with unfinished
   * work. The processes are paused before the outage, to let work pile up.
   */
  async function killWithout(server: LocalService, name: string): Promise<string> {
    const service = random.pick(services)
    const hit = random.pick([service, [random.pick(service)]])
    for (const member of hit) member.pause()
    await sleep(1_000)
    const how = random.pick(["frozen", "stopped", "killed"] as const)
    let recover = () => server.resume()
    if (how === "frozen") recover = await freeze(server)
    else await server.halt(how === "killed" ? "kill" : "orderly")
    for (const member of hit) member.unpause()
    await sleep(2_000)
    await Promise.all(hit.map((member) => member.kill()))
    const startsFirst = random.pick([true, false])
    const starting = startsFirst ? Promise.all(hit.map((member) => member.start())) : undefined
    if (startsFirst) await wait([500, 2_000])
    await recover()
    await (starting ?? Promise.all(hit.map((member) => member.start())))
    return `${hit.map(({ name }) => name).join(", ")} with ${name} ${how}`
  }

  return {
    async "kill -9"() {
      const member = random.pick(members)
      await member.kill()
      await wait([0, 3_000])
      await member.start()
      return member.name
    },
    async SIGSTOP() {
      const member = random.pick(members)
      member.pause()
      await wait(settings.pausedMs)
      member.unpause()
      return member.name
    },
    async rebalance() {
      const extra = random.pick(extras)
      await extra.start()
      await wait([1_000, 4_000])
      await extra.end()
      return extra.name
    },
    ...(brokers.length > 1
      ? { "one broker stopped": stopBroker, "one broker paused": pauseBroker }
      : { "broker stopped": stopBroker }),
    async "Postgres responds after 3 s"() {
      it.delayPostgres(3_000)
      await sleep(settings.degradedMs)
      it.delayPostgres(0)
      return "Postgres"
    },
    async "one partner's rows locked"() {
      const { what, unlock } = await it.lockPartner(random)
      await sleep(settings.degradedMs)
      await unlock()
      return what
    },
    "Postgres killed": () => restartPostgres("kill"),
    "Postgres restarted": () => restartPostgres("orderly"),
    "kill -9 while Postgres is unavailable": () => killWithout(postgres, "Postgres"),
    "kill -9 while a broker is unavailable": () => {
      const broker = random.pick(brokers)
      return killWithout(broker, brokerName(broker))
    },
  }
}
