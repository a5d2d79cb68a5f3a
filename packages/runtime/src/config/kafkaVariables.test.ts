import { expect, test } from "vitest"
import { readConfig } from "./config.ts"
import { kafkaOptions, kafkaVariables } from "./kafkaVariables.ts"

const read = (env: Record<string, string>) =>
  kafkaOptions(readConfig(kafkaVariables, { KAFKA_BROKERS: "kafka:9093", ...env }))
const account = { KAFKA_USERNAME: "sitewire", KAFKA_PASSWORD: "secret" }

test("without more than the brokers nothing is encrypted and nobody logs in", () => {
  expect(read({})).toEqual({ brokers: ["kafka:9093"] })
})

test("encryption and login are independent of each other, and SCRAM is what an account uses", () => {
  const login = { mechanism: "scram-sha-512", username: "sitewire", password: "secret" }
  expect(read({ KAFKA_TLS: "true" })).toEqual({ brokers: ["kafka:9093"], tls: {} })
  expect(read(account)).toEqual({ brokers: ["kafka:9093"], login })
  expect(read({ ...account, KAFKA_TLS: "true", KAFKA_SASL_MECHANISM: "plain" })).toEqual({
    brokers: ["kafka:9093"],
    tls: {},
    login: { ...login, mechanism: "plain" },
  })
})

test.each([
  ["half an account", { KAFKA_PASSWORD: "secret" }, "only one of KAFKA_USERNAME and KAFKA_PASSWORD is set"],
  [
    "a password that everybody could read",
    { ...account, KAFKA_SASL_MECHANISM: "plain" },
    "set KAFKA_TLS=true",
  ],
  ["an authority that is no certificate", { KAFKA_TLS: "true", KAFKA_CA: "secret" }, "KAFKA_CA: must be"],
])("%s is refused, and no value is repeated", (_, env, why) => {
  const reading = () => read(env)
  expect(reading).toThrow(why)
  expect(reading).not.toThrow(/secret/)
})
