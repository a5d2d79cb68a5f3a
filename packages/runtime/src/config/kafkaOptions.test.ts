import { makeCertificate } from "@sitewire/cli/receivers"
import { expect, test } from "vitest"
import { readConfig } from "./config.ts"
import { kafkaOptions } from "./kafkaOptions.ts"
import { kafkaVariables } from "./kafkaVariables.ts"

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

const byToken = { KAFKA_TLS: "true", KAFKA_SASL_MECHANISM: "oauthbearer" }
const endpoint = { KAFKA_TOKEN_ENDPOINT: "https://idp.example/token" }

test("a token comes from an endpoint or from a program, and extensions are sent with it", () => {
  const login = { mechanism: "oauthbearer", extensions: {}, readToken: expect.any(Function) }
  expect(read({ ...byToken, ...endpoint, ...account })).toMatchObject({ login })
  const extensions = { logicalCluster: "lkc-1", identityPoolId: "a=b" }
  const command = {
    KAFKA_TOKEN_COMMAND: "print-token",
    KAFKA_SASL_EXTENSIONS: "logicalCluster=lkc-1,identityPoolId=a=b",
  }
  expect(read({ ...byToken, ...command })).toMatchObject({ login: { ...login, extensions } })
})

test.each([
  ["a token without a source", byToken, "set KAFKA_TOKEN_ENDPOINT or KAFKA_TOKEN_COMMAND"],
  [
    "a token with two sources",
    { ...byToken, ...endpoint, ...account, KAFKA_TOKEN_COMMAND: "print-token" },
    "and not both",
  ],
  ["an endpoint without a client", { ...byToken, ...endpoint }, "set KAFKA_USERNAME and KAFKA_PASSWORD"],
  [
    "a program with an account",
    { ...byToken, ...account, KAFKA_TOKEN_COMMAND: "print-token" },
    "remove KAFKA_USERNAME",
  ],
  [
    "a token that everybody could read",
    { ...byToken, ...endpoint, ...account, KAFKA_TLS: "false" },
    "set KAFKA_TLS=true",
  ],
  ["an endpoint without its mechanism", { ...endpoint, ...account }, "set KAFKA_SASL_MECHANISM=oauthbearer"],
  [
    "an endpoint that everybody could listen to",
    { ...byToken, ...account, KAFKA_TOKEN_ENDPOINT: "http://secret.example/token" },
    "KAFKA_TOKEN_ENDPOINT: must begin with https://",
  ],
  [
    "an endpoint that is none",
    { ...byToken, KAFKA_TOKEN_ENDPOINT: "secret" },
    "KAFKA_TOKEN_ENDPOINT: must be",
  ],
  [
    "an extension without a name",
    { ...byToken, KAFKA_SASL_EXTENSIONS: "secret" },
    "KAFKA_SASL_EXTENSIONS: must be name=value",
  ],
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
