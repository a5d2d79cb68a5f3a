import { expect, test } from "vitest"
import { pickPort } from "./pickPort.ts"

test("no port is picked twice, even if nothing listens on it yet", async () => {
  const ports: number[] = []
  // Of 22,000 ports. Without the check, some 90 of 2,000 would be repeated.
  while (ports.length < 2_000) ports.push(await pickPort({ wanted: 0, service: "test" }))
  expect(new Set(ports).size).toBe(ports.length)
  expect(Math.max(...ports)).toBeLessThan(32_768)
})
