import { createPrivateKey, X509Certificate } from "node:crypto"
import { type Config, ConfigurationError } from "./config.ts"
import { kafkaLogin } from "./kafkaLogin.ts"
import type { kafkaAuthVariables } from "./kafkaVariables.ts"

/** Call it once in a process: connections share a token. */
export function kafkaOptions(config: Config<typeof kafkaAuthVariables> & { KAFKA_BROKERS: string[] }) {
  const { KAFKA_CA: ca, KAFKA_TLS: encrypted } = config
  if (ca !== undefined && !encrypted) {
    throw new ConfigurationError(
      "KAFKA_CA is set, but connections are not encrypted: set KAFKA_TLS=true, or remove KAFKA_CA.",
    )
  }
  const identity = clientIdentity(config)
  const login = kafkaLogin(config)
  return {
    brokers: config.KAFKA_BROKERS,
    ...(encrypted ? { tls: { ...(ca === undefined ? {} : { ca }), ...identity } } : {}),
    ...(login === undefined ? {} : { login }),
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
