import { execFileSync } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { createRandom } from "../../shared/random.ts"
import { announce, serve } from "../../shared/serve.ts"

// A partner that does with a key of its channel, a key of its site and its trigger URLs whatever may use up what others need, as
// fast as it gets responses. `CONSOLE`, `GATEWAY`: the origins to attack. GET /attack begins, GET /pretend sends as many triggers
// to this process itself, and GET /rest ends both and returns how many requests got each status.
//
// An attacker has a machine of its own. So the threads of this process get only the CPU time that nobody else wants: what is
// measured is the work that its requests cause, and not the work of sending them.
execFileSync("chrt", ["--all-tasks", "--idle", "--pid", "0", String(process.pid)])

const { CONSOLE: console = "", GATEWAY: gateway = "", CHANNEL: channel = "", SITE: site = "" } = process.env
const { CHANNEL_KEY: channelKey = "", SITE_KEY: siteKey = "" } = process.env

/** Those of the gateway are apart, because an attacker does not wait for one service before it calls the other. */
const loops = { console: 12, gateway: 4 }
/** The proxy of the manifests lets through so many triggers of an address in a second. There is no proxy here. */
const triggersPerSecond = 100
let nextTriggerAt = 0
const random = createRandom(1)
/** What a source sends: more than fits into a socket's buffers. */
const content = Buffer.alloc(8 << 20, "x")
const statuses = new Map<string, number>()
let end = async () => {}
let deliveries: string[] = []
const connections: { id: string; trigger: string }[] = []

const { origin } = await serve(async ({ method, url }, response) => {
  if (method === "POST") return void response.end()
  if (url === "/attack") begin([loops.console, callConsole], [loops.gateway, trigger])
  else if (url === "/pretend") begin([loops.gateway, (signal) => callTrigger(signal, `${origin}/trigger`)])
  else if (url === "/rest") await end()
  else {
    // A source whose content is new each time.
    response.write(String(random.next()))
    return void response.end(content)
  }
  response.end(JSON.stringify(Object.fromEntries(statuses)))
})
announce({ attacker: origin })

function begin(...attacks: [loops: number, step: (signal: AbortSignal) => Promise<unknown>][]): void {
  statuses.clear()
  const controller = new AbortController()
  const all = attacks.flatMap(([loops, step]) =>
    Array.from({ length: loops }, () => repeat(controller.signal, step)),
  )
  end = async () => {
    controller.abort()
    await Promise.all(all)
  }
}

async function repeat(signal: AbortSignal, step: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  while (!signal.aborted) await step(signal)
}

function callConsole(signal: AbortSignal): Promise<unknown> {
  const delivery = deliveries.length > 0 ? random.pick(deliveries) : "none"
  const own = `/v1/channels/${channel}`
  const step = random.pick([
    () => readDeliveries(signal),
    () => call(signal, channelKey, `/v1/deliveries?reference=${random.between(1, 1_000_000)}`),
    () => call(signal, channelKey, `/v1/deliveries/${delivery}/attempts`),
    () => call(signal, channelKey, `/v1/deliveries/${delivery}/resend`, { reason: "again" }),
    () => call(signal, channelKey, `${own}/health`),
    () => call(signal, channelKey, `/v1/statistics?channel=${channel}`),
    () => call(signal, channelKey, `${own}/test`, {}),
    () => createConnection(signal),
    () => call(signal, siteKey, "/v1/connections"),
  ])
  return step()
}

async function readDeliveries(signal: AbortSignal): Promise<void> {
  const page = (await call(signal, channelKey, "/v1/deliveries?limit=100")) as { data?: { id: string }[] }
  if (page?.data) deliveries = page.data.map(({ id }) => id)
}

async function createConnection(signal: AbortSignal): Promise<void> {
  const made = await call(signal, siteKey, "/v1/connections", { site, source: `${origin}/source` })
  const { id, trigger_url: url } = (made ?? {}) as { id?: string; trigger_url?: string }
  if (id && url) connections.push({ id, trigger: new URL(url).pathname })
}

async function trigger(signal: AbortSignal): Promise<void> {
  const url = connections.length > 0 ? `${gateway}${random.pick(connections).trigger}` : undefined
  await callTrigger(signal, url)
}

async function callTrigger(signal: AbortSignal, url: string | undefined): Promise<void> {
  const at = Math.max(nextTriggerAt, performance.now())
  nextTriggerAt = at + 1_000 / triggersPerSecond
  await sleep(at - performance.now())
  if (url) await send(signal, url, { method: "POST" })
}

async function call(signal: AbortSignal, key: string, path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const sent = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) }
  return send(signal, `${console}${path}`, sent)
}

async function send(signal: AbortSignal, url: string, init: RequestInit): Promise<unknown> {
  try {
    const response = await fetch(url, { ...init, signal })
    const text = await response.text()
    statuses.set(String(response.status), (statuses.get(String(response.status)) ?? 0) + 1)
    return text.startsWith("{") ? JSON.parse(text) : null
  } catch {
    // The attack ended, or the service closed the connection. The next request follows at once in the second case.
    if (!signal.aborted) {
      statuses.set("none", (statuses.get("none") ?? 0) + 1)
      await sleep(10)
    }
    return null
  }
}
