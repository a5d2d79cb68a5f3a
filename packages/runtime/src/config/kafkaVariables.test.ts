import { makeCertificate } from "@sitewire/cli/receivers"
import { expect, test } from "vitest"
import { readConfig } from "./config.ts"
import { kafkaOptions, kafkaVariables } from "./kafkaVariables.ts"

const read = (env: Record<string, string>) =>
  kafkaOptions(readConfig(kafkaVariables, { KAFKA_BROKERS: "kafka:9093", ...env }))

const { cert, key } = makeCertificate("DNS:client.test")
const other = makeCertificate("DNS:client.test")
const account = { KAFKA_USERNAME: "sitewire", KAFKA_PASSWORD: "secret" }

test("without more than the brokers nothing is encrypted and nobody logs in", () => {
  expect(read({})).toEqual({ brokers: ["kafka:9093"] })
})

test("a client certificate identifies the process, with a login or without one", () => {
  const identity = { KAFKA_TLS: "true", KAFKA_CERTIFICATE: cert, KAFKA_KEY: key }
  expect(read(identity)).toEqual({ brokers: ["kafka:9093"], tls: { cert, key } })
  expect(read({ ...identity, ...account, KAFKA_CA: other.cert })).toMatchObject({
    tls: { ca: other.cert, cert, key },
    login: { username: "sitewire" },
  })
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
  [
    "a certificate without its key",
    { KAFKA_TLS: "true", KAFKA_CERTIFICATE: cert },
    "only one of KAFKA_CERTIFICATE",
  ],
  [
    "a key that is none",
    { KAFKA_TLS: "true", KAFKA_CERTIFICATE: cert, KAFKA_KEY: "secret" },
    "KAFKA_KEY: must be",
  ],
  [
    "the key of another certificate",
    { KAFKA_TLS: "true", KAFKA_CERTIFICATE: cert, KAFKA_KEY: other.key },
    "is not the private key of KAFKA_CERTIFICATE",
  ],
  ["a certificate without encryption", { KAFKA_CERTIFICATE: cert, KAFKA_KEY: key }, "set KAFKA_TLS=true"],
  ["an authority that is no certificate", { KAFKA_TLS: "true", KAFKA_CA: "secret" }, "KAFKA_CA: must be"],
])("%s is refused, and no value is repeated", (_, env, why) => {
  const reading = () => read(env)
  expect(reading).toThrow(why)
  expect(reading).not.toThrow(/secret/)
})
