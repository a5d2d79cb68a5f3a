import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { onTestFinished } from "vitest"
import { run } from "../../bin/run.ts"

export const secret = "the secret of these tests"

export type Request = { headers: IncomingHttpHeaders; body: Buffer }
type Respond = (request: Request, response: ServerResponse) => void

/** Closed after the test. */
export async function startReceiver(respond: Respond): Promise<{ url: string; received: Request[] }> {
  const received: Request[] = []
  const server = createServer(async (incoming, response) => {
    const request = { headers: incoming.headers, body: await buffer(incoming) }
    received.push(request)
    respond(request, response)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`, received }
}

export const hexOf = (body: Buffer, key = secret) => createHmac("sha256", key).update(body).digest("hex")

export const isSigned = ({ headers, body }: Request, key = secret) =>
  headers["x-sitewire-signature"] === `sha256=${hexOf(body, key)}`

/** By Standard Webhooks. `toleranceSeconds`: how far the signed time may be from now. */
export function isSignedByStandard({ headers, body }: Request, toleranceSeconds: number): boolean {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers
  const signed = createHmac("sha256", secret).update(`${id}.${timestamp}.`).update(body).digest("base64")
  const isNear = Math.abs(Date.now() / 1_000 - Number(timestamp)) <= toleranceSeconds
  return isNear && String(signatures).split(" ").includes(`v1,${signed}`)
}

/** Responds 401 to what `accepts` refuses. */
export const verifying =
  (accepts: (request: Request) => boolean): Respond =>
  (request, response) =>
    void response.writeHead(accepts(request) ? 204 : 401).end()

export async function command(...args: string[]): Promise<{ code: number; output: string }> {
  let output = ""
  const stdout = { write: (text: string) => (output += text) }
  const code = await run(args, { env: { SECRET: secret, RETIRED: "old", STAGED: "next" }, stdout })
  return { code, output }
}
