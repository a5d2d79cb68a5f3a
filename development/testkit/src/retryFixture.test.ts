import { expect, test } from "vitest"
import { fixtureTries } from "./deadlines.ts"
import { retryFixture } from "./retryFixture.ts"

test("a connection that fails now and then fails no fixture, and one that always fails is reported", async () => {
  let calls = 0
  const work = async () => {
    calls += 1
    if (calls < fixtureTries) throw new Error("Connection terminated due to connection timeout")
    return "connected"
  }
  expect(await retryFixture(work)).toBe("connected")
  await expect(retryFixture(() => Promise.reject(new Error("refused")))).rejects.toThrow("refused")
})
