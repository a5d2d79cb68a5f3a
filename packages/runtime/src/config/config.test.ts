import { expect, test } from "vitest"
import {
  databaseVariables,
  durationVariable,
  portVariable,
  retentionBounds,
  retryVariables,
} from "./commonVariables.ts"
import { readConfig } from "./config.ts"
import { contractDepartures } from "./contractDepartures.ts"
import { describeVariables } from "./describeVariables.ts"
import { kafkaVariables } from "./kafkaVariables.ts"

const variables = {
  ...databaseVariables,
  ...kafkaVariables,
  ...retryVariables,
  PORT: portVariable(8080, "A port."),
}
const usable = { DATABASE_URL: "postgresql://db/x", KAFKA_BROKERS: "a:9092, b:9092" }

test("defaults fill in, and an empty value counts as not set", () => {
  expect(readConfig(variables, { ...usable, PORT: "" })).toMatchObject({
    PORT: 8080,
    KAFKA_BROKERS: ["a:9092", "b:9092"],
    RETRY_DELAYS: [60_000, 300_000, 900_000, 3_600_000],
    RETRY_PERIOD: 21_600_000,
    TOPIC_PREFIX: "",
  })
})

test("a wrong configuration names every fault at once and shows no value", () => {
  const bad = {
    DATABASE_URL: "s3cret-host",
    KAFKA_BROKERS: "",
    PORT: "70000",
    RETRY_DELAYS: "5m,1m",
    RETRY_PERIOD: "soon",
  }
  const read = () => readConfig(variables, bad)
  for (const name of Object.keys(bad)) expect(read).toThrow(name)
  expect(read).not.toThrow(/s3cret|70000|soon/)
})

test("descriptions know defaults, what is required and what is secret", () => {
  const described = new Map(describeVariables(variables).map((variable) => [variable.name, variable]))
  expect(described.get("DATABASE_URL")).toMatchObject({ required: true, secret: true, fallback: null })
  expect(described.get("RETRY_DELAYS")).toMatchObject({ required: false, fallback: "1m,5m,15m,1h" })
  expect(described.get("PORT")).toMatchObject({ fallback: "8080", description: "A port." })
  for (const { description } of described.values()) expect(description).not.toBe("")
})

test("a duration that no timer can wait, or that would keep nothing, is refused; a blank value is none", () => {
  const timed = {
    WAIT: durationVariable("1s", "A wait."),
    RETENTION: durationVariable("30d", "A retention.", retentionBounds),
  }
  expect(readConfig(timed, { WAIT: " ", RETENTION: "90d" })).toEqual({
    WAIT: 1_000,
    RETENTION: 90 * 86_400_000,
  })
  expect(() => readConfig(timed, { WAIT: "25d" })).toThrow("WAIT: must be at most 24d")
  expect(() => readConfig(timed, { RETENTION: "0s" })).toThrow("RETENTION: must be at least 1s")
  expect(() => readConfig(timed, { RETENTION: "181d" })).toThrow("RETENTION: must be at most 180d")
})

test("values that break a promise to partners are named, and others are not", () => {
  const departing = (env: Record<string, string>) => contractDepartures(env).map(({ variable }) => variable)
  const kept = {
    SYNC_WINDOW: "60s",
    DELIVERY_TIMEOUT: "10s",
    RETRY_DELAYS: "1m, 30m, 1h",
    RETRY_PERIOD: "1d",
  }
  expect(departing({ ...kept, LOG_LEVEL: "warn" })).toEqual([])
  expect(departing({ RETRY_PERIOD: "", RETRY_DELAYS: "soon" })).toEqual([])
  for (const [name, values] of Object.entries({
    SYNC_WINDOW: ["59s", "2m"],
    DELIVERY_TIMEOUT: ["9s", "30s"],
    RETRY_DELAYS: ["5s,10s", "1m,2h"],
    RETRY_PERIOD: ["1h"],
  }))
    for (const value of values) expect(departing({ ...kept, [name]: value })).toEqual([name])
})
