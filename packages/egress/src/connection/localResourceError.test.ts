import type { networkInterfaces } from "node:os"
import { expect, test } from "vitest"
import { localResourceError } from "./localResourceError.ts"

/** Given, because only root can make a machine without IPv6. */
type Interfaces = typeof networkInterfaces

function unavailable(address: string): Error {
  return Object.assign(new Error(`connect EADDRNOTAVAIL ${address}`), { code: "EADDRNOTAVAIL", address })
}

test.each([
  ["IPv4", "IPv4 only", "203.0.113.1", ["127.0.0.1", "10.1.0.7"], true],
  ["IPv6", "IPv6", "2606:4700:4700::1111", ["127.0.0.1", "10.1.0.7", "::1", "2001:db8::7"], true],
  ["IPv6", "IPv4 only", "2606:4700:4700::1111", ["127.0.0.1", "10.1.0.7"], false],
  ["IPv6", "IPv6 within its network only", "2606:4700:4700::1111", ["10.1.0.7", "::1", "fe80::7"], false],
])("an %s address that cannot be called from a machine with %s", (_, __, address, own, isLocal) => {
  const interfaces = own.map((each) => ({
    address: each,
    family: each.includes(":") ? "IPv6" : "IPv4",
    internal: each === "127.0.0.1" || each === "::1",
  }))
  const machine = (() => ({ eth0: interfaces })) as unknown as Interfaces
  expect(localResourceError(unavailable(address), machine) !== undefined).toBe(isLocal)
})

test("an IPv4 address for which no port is left is not hidden by an IPv6 address that cannot be called", () => {
  const errors = [unavailable("203.0.113.1"), unavailable("2606:4700:4700::1111")]
  expect(localResourceError(new AggregateError(errors), () => ({}))).toBeDefined()
})
