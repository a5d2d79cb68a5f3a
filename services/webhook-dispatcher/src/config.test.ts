import { ConfigurationError, readConfig } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { dispatcherVariables } from "./config.ts"

const right = {
  KAFKA_BROKERS: "kafka:9092",
  DATABASE_URL: "postgresql://sitewire@db/sitewire",
  SEALING_KEYS: `one:${Buffer.alloc(32, 1).toString("base64")}`,
}

function faultOf(env: Record<string, string>): string {
  try {
    readConfig(dispatcherVariables, env)
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
  }
  throw new Error("the configuration was accepted")
}

test("defaults: 10 s, 30 days, https, no private address, and ports of web servers or from 1024 on", () => {
  expect(readConfig(dispatcherVariables, right)).toMatchObject({
    DELIVERY_TIMEOUT: 10_000,
    RETENTION: 30 * 86_400_000,
    RETRY_DELAYS: [60_000, 300_000, 900_000, 3_600_000],
    RETRY_PERIOD: 6 * 3_600_000,
    ALLOW_HTTP: false,
    ALLOWED_RANGES: [],
    DENIED_RANGES: [],
    ALLOWED_PORTS: [
      [80, 80],
      [443, 443],
      [1024, 65_535],
    ],
  })
})

test.each(["0", "443-80", "65536", "https", "-1", "1-2-3", ","])("the ports %j are rejected", (ports) => {
  expect(faultOf({ ...right, ALLOWED_PORTS: ports })).toContain("ALLOWED_PORTS")
})

test("invalid sealing keys and ranges are reported together with all other errors, and their values are not shown", () => {
  expect(readConfig(dispatcherVariables, right).SEALING_KEYS.current).toBe("one")
  const short = Buffer.alloc(31, 1).toString("base64")
  const fault = faultOf({
    ...right,
    KAFKA_BROKERS: "",
    SEALING_KEYS: `one:${short}`,
    ALLOWED_RANGES: "10.0.0.0/8, 10.20",
  })
  expect(fault.split("\n").map((line) => line.trim().split(":")[0])).toEqual([
    "The configuration is wrong",
    "KAFKA_BROKERS",
    "SEALING_KEYS",
    "ALLOWED_RANGES",
  ])
  expect(fault).toContain('the key "one" must be 32 bytes in base64')
  expect(fault).not.toContain(short)
})
