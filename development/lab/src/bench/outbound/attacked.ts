import { setTimeout as sleep } from "node:timers/promises"
import { waitUntil } from "@sitewire/testkit"
import { cpuMs } from "../../shared/processUsage.ts"
import type { Measure } from "../measure.ts"
import type { Side } from "../measureInPairs.ts"
import type { Bench } from "../startBench.ts"
import { compareP99, describeSeconds, latenciesBySecond, type Second } from "./latenciesBySecond.ts"
import { pacedWarmUp, publishPaced, startReceiving } from "./load.ts"

const others = 10
const attackers = { channel: "attacker", site: "attacker.example" }
/** Gets the attacker's events while there is no attack. */
const peaceful = "peaceful"
const perSecond = 200
const phaseSeconds = 12
/** Latencies count from then on. Before, the attack's first requests get a turn at once, which would be p99 of so short a phase. */
const attackBeforeMs = 3_000

/**
 * Measures the latency of other partners' deliveries while one partner attacks with a key of its channel, a key of its site and its
 * trigger URLs, relative to turns of the same load without the attack. Its channel hangs.
 *
 * An attacker has a machine of its own, so what counts is the work that its requests cause, and not that of sending them. Here its
 * process gets only the CPU time that the others leave (`attacker.ts`), and goes on sending without the attack, to itself.
 * Everything else shares the cores as usual.
 */
export async function measureAttacked(it: Bench): Promise<Measure[]> {
  const [receiver, hung] = [await startReceiving(it), await startReceiving(it)]
  const channels = await it.channels(others, (at) => `${receiver.url}/timed-${at}`)
  await it.channel(peaceful, `${receiver.url}/responds`)
  await it.channel(attackers.channel, `${hung.url}/hang`)
  const [console, gateway] = [await it.start("console"), await it.start("gateway")]
  const [scheduler, dispatcher] = [await it.start("scheduler"), await it.start("dispatcher")]
  const attacker = await it.helper("bench/outbound/attacker.ts", {
    CHANNEL_KEY: await it.apiKey(`channel:${attackers.channel}`),
    SITE_KEY: await it.apiKey(`site:${attackers.site}`),
    CHANNEL: attackers.channel,
    SITE: attackers.site,
    CONSOLE: console.addresses.console ?? "",
    GATEWAY: gateway.addresses.gateway ?? "",
  })
  const order = async (path: string) => (await fetch(`${attacker.addresses.attacker}${path}`)).json()
  const [broker] = it.servers.brokers
  const { postgres } = it.servers
  const countCpu = countCpuOf({ console, gateway, scheduler, dispatcher, postgres, broker, attacker })
  await receiver.take()
  await publishPaced(it, { ...pacedWarmUp, channels: [...channels, peaceful] })
  await receiver.reached(pacedWarmUp.amount)

  const pause = (paused: boolean) =>
    it.sql("update channel set paused_at = case when $1 then now() end where id = $2", [
      paused,
      attackers.channel,
    ])
  await pause(true)

  async function beginAttack(): Promise<void> {
    await pause(false)
    await order("/attack")
    await sleep(attackBeforeMs)
  }

  /** Ends also what the attack has left to be done, so that it is not part of the next turn. */
  async function endAttack(): Promise<string> {
    const responses = await order("/rest")
    await pause(true)
    await waitUntil("the end of the attacker's syncs", async () => {
      await it.sql(
        "update sync_window set covered = requested, due_at = null, waiting_for_host = null where due_at is not null and not running",
      )
      const [left] = await it.sql("select from sync_window where due_at is not null limit 1")
      return left === undefined
    })
    await hung.noneHangs()
    return `attacked (responses: ${JSON.stringify(responses)})`
  }

  // So that the code of the console, the gateway and the scheduler is compiled, and the site has connections.
  await beginAttack()
  await endAttack()

  async function run(which: Side): Promise<Second[]> {
    const attack = which === "value"
    const amount = perSecond * phaseSeconds
    await receiver.take()
    if (attack) await beginAttack()
    else await order("/pretend")
    const cpu = countCpu()
    await publishPaced(it, {
      perSecond,
      amount,
      channels: [...channels, attack ? attackers.channel : peaceful],
    })
    const theirs = Array.from({ length: amount }, (_, at) => at % (others + 1)).filter((at) => at < others)
    await receiver.reached(attack ? theirs.length : amount)
    const { arrivals } = await receiver.take()
    const used = cpu()
    if (!attack) await order("/rest")
    const side = attack ? await endAttack() : "without"
    const seconds = latenciesBySecond(arrivals, phaseSeconds)
    it.progress(`${side}: ${describeSeconds(seconds)}; CPU ${used}`)
    return seconds
  }
  const measure = await compareP99({
    measure: `p99 of ${others} partners while another attacks with its keys, ${perSecond} events/s, ms`,
    bound: 1.5,
    pairs: { least: 8, most: 24 },
    run,
    progress: it.progress,
  })
  return [measure]
}

/** The returned function begins to count, and returns one that describes the CPU time since then, of each process. */
function countCpuOf(processes: Record<string, { pid: number | undefined } | undefined>): () => () => string {
  const read = () => Object.entries(processes).map(([name, of]) => ({ name, ms: cpuMs(of?.pid ?? 0) }))
  return () => {
    const [before, begunAt] = [read(), performance.now()]
    return () => {
      const wholeMs = performance.now() - begunAt
      const share = (ms: number, at: number) => Math.round((100 * (ms - (before[at]?.ms ?? 0))) / wholeMs)
      return read()
        .map(({ name, ms }, at) => `${name} ${share(ms, at)} %`)
        .join(", ")
    }
  }
}
