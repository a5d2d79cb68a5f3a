import { createPrivateKey, X509Certificate } from "node:crypto"
import { z } from "zod"
import { booleanVariable, listVariable } from "./commonVariables.ts"
import { type Config, ConfigurationError } from "./config.ts"

export const kafkaAuthVariables = {
  KAFKA_TLS: booleanVariable("Encrypt connections to Kafka; the brokers' certificates are verified."),
  KAFKA_CA: z
    .string()
    .refine(isCertificate, "must be the text of a certificate in PEM, not the name of a file")
    .optional()
    .meta({
      description:
        "Certificate authority of the brokers, in PEM, if it is not a public one. Needs KAFKA_TLS.",
    }),
  KAFKA_CERTIFICATE: z
    .string()
    .refine(isCertificate, "must be the text of a certificate in PEM, not the name of a file")
    .optional()
    .meta({
      description:
        "Client certificate, in PEM, with which the process identifies itself to the brokers. Needs KAFKA_TLS and KAFKA_KEY.",
    }),
  KAFKA_KEY: z
    .string()
    .refine(isPrivateKey, "must be the text of a private key in PEM, without a passphrase")
    .optional()
    .meta({ description: "Private key of KAFKA_CERTIFICATE, in PEM.", secret: true }),
  KAFKA_USERNAME: z.string().optional().meta({ description: "Account at Kafka (SASL). Not set: no login." }),
  KAFKA_PASSWORD: z.string().optional().meta({ description: "The account's password.", secret: true }),
  KAFKA_SASL_MECHANISM: z
    .enum(["plain", "scram-sha-256", "scram-sha-512"], "must be plain, scram-sha-256 or scram-sha-512")
    .default("scram-sha-512")
    .meta({ description: "How the account logs in. `plain` needs KAFKA_TLS." }),
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
    .meta({
      description: "Put before every topic and group name, so that installations can share a cluster.",
    }),
}

export const topicVariables = {
  TOPIC_SETTINGS: z
    .string()
    .regex(/^$|^[a-z.]+=[^,=]*(,[a-z.]+=[^,=]*)*$/, "must be name=value, or several separated by commas")
    .default("")
    .transform((text) =>
      Object.fromEntries(
        text
          .split(",")
          .filter(Boolean)
          .map((pair) => pair.split("=")),
      ),
    )
    .pipe(z.record(z.string(), z.string()))
    .meta({
      description:
        "Settings of all topics that replace Sitewire's, as name=value, separated by commas. Without a value, the broker decides: `compression.type=` for a broker that forbids this setting. Publishers may then compress with gzip only.",
    }),
}

export function kafkaOptions(config: Config<typeof kafkaAuthVariables> & { KAFKA_BROKERS: string[] }) {
  const { KAFKA_CA: ca, KAFKA_USERNAME: username, KAFKA_PASSWORD: password } = config
  const { KAFKA_TLS: encrypted, KAFKA_SASL_MECHANISM: mechanism } = config
  if (ca !== undefined && !encrypted) {
    throw new ConfigurationError(
      "KAFKA_CA is set, but connections are not encrypted: set KAFKA_TLS=true, or remove KAFKA_CA.",
    )
  }
  if ((username === undefined) !== (password === undefined)) {
    throw new ConfigurationError(
      "only one of KAFKA_USERNAME and KAFKA_PASSWORD is set: set both, or neither.",
    )
  }
  if (username !== undefined && mechanism === "plain" && !encrypted) {
    throw new ConfigurationError(
      "KAFKA_SASL_MECHANISM=plain would send the password unencrypted: set KAFKA_TLS=true, or use scram-sha-512.",
    )
  }
  const identity = clientIdentity(config)
  return {
    brokers: config.KAFKA_BROKERS,
    ...(encrypted ? { tls: { ...(ca === undefined ? {} : { ca }), ...identity } } : {}),
    ...(username === undefined || password === undefined ? {} : { login: { mechanism, username, password } }),
  }
}

function clientIdentity({
  KAFKA_TLS: encrypted,
  KAFKA_CERTIFICATE: cert,
  KAFKA_KEY: key,
}: Config<typeof kafkaAuthVariables>): { cert: string; key: string } | undefined {
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined)
    throw new ConfigurationError("only one of KAFKA_CERTIFICATE and KAFKA_KEY is set: set both, or neither.")
  if (!encrypted) {
    throw new ConfigurationError(
      "KAFKA_CERTIFICATE is set, but connections are not encrypted: set KAFKA_TLS=true, or remove it.",
    )
  }
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw new ConfigurationError("KAFKA_KEY is not the private key of KAFKA_CERTIFICATE.")
  return { cert, key }
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
