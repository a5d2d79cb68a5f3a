import type { StreamedDelivery } from "@sitewire/contracts"
import { followStream } from "../../api/followStream.ts"
import { Failure, failed } from "../../errors/failure.ts"
import type { Session } from "../../session/createSession.ts"
import { readStreamed } from "../delivery/readStreamed.ts"
import { forwardDelivery } from "./forwardDelivery.ts"
import { describeRequest, inspectRequest } from "./inspectRequest.ts"

/** What is sent faster than the address responds waits here. */
const mostWaiting = 1_000

type Relay = { channel: string; target: URL | null; secret: Buffer | null }

/**
 * Prints, and forwards to `target`, the requests of a channel's attempts: one after the other, once each, from now on. Their bodies
 * and signatures are those that were sent. Runs until the command is interrupted.
 */
export async function relayDeliveries(session: Session, relay: Relay): Promise<void> {
  await requireKeyOf(session, relay.channel)
  const signal = session.interrupted()
  let isNew = createAttemptMemory({ since: 0 })
  let waiting = 0
  let working = Promise.resolve()

  function onChange(delivery: StreamedDelivery): void {
    const { id, deferred_reason } = delivery
    // While a resend is requested, its own attempt follows.
    if (!isNew(delivery) || deferred_reason === "resend") return
    if (waiting === mostWaiting) {
      session.note(`${id} is left out: ${mostWaiting} others wait for the address to respond.`)
      return
    }
    waiting += 1
    working = working.then(async () => {
      if (!signal.aborted) await relayNewestAttempt(session, id, relay)
      waiting -= 1
    })
  }

  const { channel } = relay
  await followStream(session, { event: "delivery", channel }, onChange, {
    onOpen(at) {
      isNew = createAttemptMemory({ since: at.getTime() })
    },
    readMissed: (client, limit, since) => readStreamed(client, { channel, limit, created_after: since }),
  })
  await working
}

async function requireKeyOf(session: Session, channel: string): Promise<void> {
  const { scopes } = await session.callApi((client) => client.readCurrentApiKey())
  if (scopes.includes(`channel:${channel}`)) return
  throw failed(
    `The API key does not have the scope channel:${channel}, and only such a key gets the signatures of deliveries. ` +
      "Ask the operator for one, and set SITEWIRE_API_KEY to it.",
  )
}

async function relayNewestAttempt(session: Session, id: string, { target, secret }: Relay): Promise<void> {
  try {
    const { body, request_headers } = await session.callApi((client) => client.revealDelivery({ id }))
    if (request_headers === null) {
      session.note(`${id} is left out: the secret that signed it has been retired.`)
      return
    }
    const request = {
      at: Date.now(),
      method: "POST",
      path: target ? target.pathname + target.search : "/",
      headers: lowerCase(request_headers),
      body: Buffer.from(body),
    }
    const forwarded = target && (await forwardDelivery(target, request))
    session.print({ ...inspectRequest(request, secret), forwarded }, describeRequest)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    session.note(`${id} is left out: ${error.message}`)
  }
}

/** As node:http receives them. */
function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/**
 * Recognises the attempts in a stream of changes. Each change of a delivery repeats its last attempt, so attempts are remembered:
 * the newest `most`. What ended no later than a forgotten one does not count as new.
 */
export function createAttemptMemory({ since, most = 10_000 }: { since: number; most?: number }) {
  const ends = new Map<string, number>()
  let followedSince = since

  return function isNew({ id, last_attempt: last }: StreamedDelivery): boolean {
    if (last === null) return false
    const endedAt = Date.parse(last.started_at) + last.duration_ms
    const attempt = `${id} ${last.number} ${last.started_at}`
    if (endedAt < followedSince || ends.has(attempt)) return false
    ends.set(attempt, endedAt)
    const [oldest] = ends
    if (ends.size > most && oldest) {
      ends.delete(oldest[0])
      followedSince = Math.max(followedSince, oldest[1] + 1)
    }
    return true
  }
}
