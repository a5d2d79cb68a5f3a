import { expect, test } from "vitest"
import { pickPort } from "./ports.ts"

test("no port is picked twice: what asked for the first may not listen on it yet", async () => {
  const ports: number[] = []
  // Of 14,000 to 28,000 that the system chooses from, so that dozens would be.
  while (ports.length < 2_000) ports.push(await pickPort({ wanted: 0, service: "test" }))
  expect(new Set(ports).size).toBe(ports.length)
})
