import { expect, test } from "vitest"
import { passVariables } from "./passVariables.ts"

test("a variable of a process reaches it, and one that no process gets is named", () => {
  const ignored: string[] = []
  const env = {
    RETRY_DELAYS: "5s,10s",
    RETRY_DELAY: "5s",
    SEALING_KEYS: "k:secret",
    GATEWAY_PORT: "0",
    HOME: "/root",
    LOG_LEVEL: " ",
  }
  expect(passVariables(env, (line) => ignored.push(line))).toEqual({ RETRY_DELAYS: "5s,10s" })
  expect(ignored.map((line) => line.split(" ")[0])).toEqual(["RETRY_DELAY", "SEALING_KEYS"])
})
