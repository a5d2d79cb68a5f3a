import type { Measure } from "../measure.ts"
import type { Side } from "../measureInPairs.ts"
import type { Bench } from "../startBench.ts"
import { compareP99, describeSeconds, latenciesBySecond, type Second } from "./latenciesBySecond.ts"
import { publishPaced, startReceiving } from "./load.ts"

const others = 10
const attackers = { channel: "attacker", site: "attacker.example" }
const perSecond = 200
const phaseSeconds = 12
const warmUp = { perSecond: 2_000, amount: 12_000 }

/**
 * Measures the latency of other partners' deliveries while one partner attacks with a key of its channel, a key of its site and its
 * trigger URLs, relative to the same load without the attack. Its channel hangs during the attack, and responds otherwise.
 */
export async function measureAttacked(it: Bench): Promise<Measure[]> {
  const [receiver, hung] = [await startReceiving(it), await startReceiving(it)]
  const channels = await it.channels(others, (at) => `${receiver.url}/timed-${at}`)
  await it.channel(attackers.channel, `${receiver.url}/responds`)
  const keys = {
    CHANNEL_KEY: await it.apiKey(`channel:${attackers.channel}`),
    SITE_KEY: await it.apiKey(`site:${attackers.site}`),
  }
  const [console, gateway] = [await it.start("console"), await it.start("gateway")]
  await it.start("scheduler")
  await it.start("dispatcher")
  const { addresses } = await it.helper("bench/outbound/attacker.ts", {
    ...keys,
    CHANNEL: attackers.channel,
    SITE: attackers.site,
    CONSOLE: console.addresses.console ?? "",
    GATEWAY: gateway.addresses.gateway ?? "",
  })
  const order = async (path: string) => (await fetch(`${addresses.attacker}${path}`)).json()
  await receiver.take()
  await publishPaced(it, { ...warmUp, channels: [...channels, attackers.channel] })
  await receiver.reached(warmUp.amount)

  async function run(which: Side): Promise<Second[]> {
    const attack = which === "value"
    const address = attack ? `${hung.url}/hang` : `${receiver.url}/responds`
    await it.sql("update channel set address = $1 where id = $2", [address, attackers.channel])
    await receiver.take()
    if (attack) await order("/attack")
    const amount = perSecond * phaseSeconds
    await publishPaced(it, { perSecond, amount, channels: [...channels, attackers.channel] })
    const theirs = Array.from({ length: amount }, (_, at) => at % (others + 1)).filter((at) => at < others)
    await receiver.reached(theirs.length)
    const { arrivals } = await receiver.take()
    const statuses = attack ? await order("/rest") : {}
    const seconds = latenciesBySecond(arrivals, phaseSeconds)
    const side = attack ? `attacked (responses: ${JSON.stringify(statuses)})` : "at rest"
    it.progress(`${side}: ${describeSeconds(seconds)}`)
    return seconds
  }
  const measure = await compareP99({
    measure: `p99 of ${others} partners while another attacks with its keys, ${perSecond} events/s, ms`,
    bound: 1.5,
    pairs: { least: 4, most: 12 },
    run,
    progress: it.progress,
  })
  return [measure]
}
