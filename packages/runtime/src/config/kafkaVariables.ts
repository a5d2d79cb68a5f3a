import { createPrivateKey, X509Certificate } from "node:crypto"
import { z } from "zod"
import { httpsOrLoopback, isHttpsOrLoopback } from "../http/isHttpsOrLoopback.ts"
import { booleanVariable, listVariable } from "./commonVariables.ts"

export const kafkaAuthVariables = {
  KAFKA_TLS: booleanVariable("Encrypt connections to Kafka; the brokers' certificates are verified."),
  KAFKA_CA: z
    .string()
    .refine(isCertificate, "must be the text of a certificate in PEM, not the name of a file")
    .optional()
    .describe("Certificate authority of the brokers, in PEM, if it is not a public one. Needs KAFKA_TLS."),
  KAFKA_CERTIFICATE: z
    .string()
    .refine(isCertificate, "must be the text of a certificate in PEM, not the name of a file")
    .optional()
    .describe(
      "Client certificate, in PEM, with which the process identifies itself to the brokers. Needs KAFKA_TLS and KAFKA_KEY.",
    ),
  KAFKA_KEY: z
    .string()
    .refine(isPrivateKey, "must be the text of a private key in PEM, without a passphrase")
    .optional()
    .meta({ description: "Private key of KAFKA_CERTIFICATE, in PEM.", secret: true }),
  KAFKA_USERNAME: z
    .string()
    .optional()
    .describe(
      "Account at Kafka (SASL), or the client id at KAFKA_TOKEN_ENDPOINT. Not set: no login, unless KAFKA_TOKEN_COMMAND is set.",
    ),
  KAFKA_PASSWORD: z
    .string()
    .optional()
    .meta({ description: "The account's password, or the client secret.", secret: true }),
  KAFKA_SASL_MECHANISM: z
    .enum(
      ["plain", "scram-sha-256", "scram-sha-512", "oauthbearer"],
      "must be plain, scram-sha-256, scram-sha-512 or oauthbearer",
    )
    .default("scram-sha-512")
    .describe(
      "How the account logs in. `plain` and `oauthbearer` need KAFKA_TLS; `oauthbearer` also KAFKA_TOKEN_ENDPOINT or KAFKA_TOKEN_COMMAND.",
    ),
  KAFKA_TOKEN_ENDPOINT: z
    .url({ protocol: /^https?$/, error: "must be an https URL" })
    .refine(isHttpsOrLoopback, httpsOrLoopback)
    .optional()
    .describe(
      "For `oauthbearer`: token endpoint of an OAuth server, which gives tokens for KAFKA_USERNAME and KAFKA_PASSWORD (client credentials grant).",
    ),
  KAFKA_TOKEN_SCOPE: z
    .string()
    .optional()
    .describe("Scopes that are requested at KAFKA_TOKEN_ENDPOINT, separated by spaces."),
  KAFKA_TOKEN_COMMAND: z
    .string()
    .optional()
    .describe(
      "For `oauthbearer`, instead of KAFKA_TOKEN_ENDPOINT: a program, with its arguments, that prints a token, such as one of a cloud. It runs for each login, without a shell, at most every 10 s, and must end within 10 s.",
    ),
  KAFKA_SASL_EXTENSIONS: z
    .string()
    .regex(
      /^$|^[A-Za-z]+=[\x21-\x2b\x2d-\x7e]+(,[A-Za-z]+=[\x21-\x2b\x2d-\x7e]+)*$/,
      "must be name=value, or several separated by commas",
    )
    .default("")
    .transform(readPairs)
    .describe("Sent with the token of `oauthbearer`, as name=value, separated by commas."),
}

export const kafkaVariables = {
  KAFKA_BROKERS: listVariable("Brokers as host:port, separated by commas.").refine(
    (brokers) => brokers.length > 0 && brokers.every((broker) => /^[^\s:]+:\d+$|^\[.+\]:\d+$/.test(broker)),
    "must be host:port, or several separated by commas",
  ),
  ...kafkaAuthVariables,
  TOPIC_PREFIX: z
    .string()
    .regex(/^[a-zA-Z0-9._-]*$/, "may contain letters, digits, dots, - and _")
    .default("")
    .describe("Put before every topic and group name, so that installations can share a cluster."),
}

export const topicVariables = {
  TOPIC_SETTINGS: z
    .string()
    .regex(/^$|^[a-z.]+=[^,=]*(,[a-z.]+=[^,=]*)*$/, "must be name=value, or several separated by commas")
    .default("")
    .transform(readPairs)
    .describe(
      "Settings of all topics that replace Sitewire's, as name=value, separated by commas. Without a value, the broker decides: `compression.type=` for a broker that forbids this setting. Publishers may then compress with gzip and zstd only.",
    ),
}

function isPrivateKey(text: string): boolean {
  try {
    return createPrivateKey(text) !== undefined
  } catch {
    return false
  }
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text) !== undefined
  } catch {
    return false
  }
}

/** The form was checked: `name=value,name=value`, or nothing. A value may contain `=`. */
function readPairs(text: string): Record<string, string> {
  const pairs = text.split(",").filter(Boolean)
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=")
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}
