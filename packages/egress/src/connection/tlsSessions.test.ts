import type { TLSSocket } from "node:tls"
import { expect, test } from "vitest"
import { createTlsSessions } from "./tlsSessions.ts"

test("of more sessions than are stored, the ones that were used longest ago are forgotten", () => {
  const sessions = createTlsSessions()
  const socket = {
    isSessionReused: () => false,
    getPeerCertificate: () => ({ valid_to: "2090-01-01" }),
  } as unknown as TLSSocket
  const store = (origin: string) => sessions.store(origin, Buffer.from(origin), socket, undefined)
  for (let at = 0; at < 5_000; at++) store(`https://partner-${at}.example`)
  store("https://partner-0.example")
  store("https://new.example")
  const found = ["partner-0", "partner-1", "partner-2", "new"].map(
    (name) => sessions.find(`https://${name}.example`) !== undefined,
  )
  expect(found).toEqual([true, false, true, true])
})
