import { readFromProgram } from "../credentials/readFromProgram.ts"
import { readFromTokenEndpoint } from "../credentials/readFromTokenEndpoint.ts"
import { type Config, ConfigurationError } from "./config.ts"
import type { kafkaAuthVariables } from "./kafkaVariables.ts"

type Settings = Config<typeof kafkaAuthVariables>

/** How a process logs in to Kafka. Undefined: it does not. */
export function kafkaLogin(config: Settings) {
  const { KAFKA_USERNAME: username, KAFKA_PASSWORD: password } = config
  const { KAFKA_TLS: encrypted, KAFKA_SASL_MECHANISM: mechanism } = config
  if ((username === undefined) !== (password === undefined)) {
    throw new ConfigurationError(
      "only one of KAFKA_USERNAME and KAFKA_PASSWORD is set: set both, or neither.",
    )
  }
  if (mechanism === "oauthbearer") return tokenLogin(config)
  for (const variable of ["KAFKA_TOKEN_ENDPOINT", "KAFKA_TOKEN_SCOPE", "KAFKA_TOKEN_COMMAND"] as const) {
    if (config[variable] !== undefined)
      throw new ConfigurationError(`${variable} is set: set KAFKA_SASL_MECHANISM=oauthbearer, or remove it.`)
  }
  if (username === undefined || password === undefined) return undefined
  if (mechanism === "plain" && !encrypted) {
    throw new ConfigurationError(
      "KAFKA_SASL_MECHANISM=plain would send the password unencrypted: set KAFKA_TLS=true, or use scram-sha-512.",
    )
  }
  return { mechanism, username, password }
}

function tokenLogin(config: Settings) {
  const { KAFKA_TOKEN_ENDPOINT: url, KAFKA_TOKEN_COMMAND: command, KAFKA_TOKEN_SCOPE: scope } = config
  const { KAFKA_USERNAME: clientId, KAFKA_PASSWORD: clientSecret } = config
  if (!config.KAFKA_TLS) {
    throw new ConfigurationError(
      "KAFKA_SASL_MECHANISM=oauthbearer would send the token unencrypted: set KAFKA_TLS=true.",
    )
  }
  if ((url === undefined) === (command === undefined)) {
    throw new ConfigurationError(
      "KAFKA_SASL_MECHANISM=oauthbearer needs a token: set KAFKA_TOKEN_ENDPOINT or KAFKA_TOKEN_COMMAND, and not both.",
    )
  }
  const login = { mechanism: "oauthbearer", extensions: config.KAFKA_SASL_EXTENSIONS } as const
  if (command !== undefined) {
    if (clientId !== undefined)
      throw new ConfigurationError(
        "KAFKA_TOKEN_COMMAND needs no account: remove KAFKA_USERNAME and KAFKA_PASSWORD.",
      )
    return { ...login, readToken: readFromProgram("KAFKA_TOKEN_COMMAND", command) }
  }
  if (url === undefined || clientId === undefined || clientSecret === undefined) {
    throw new ConfigurationError(
      "KAFKA_TOKEN_ENDPOINT is set without a client: set KAFKA_USERNAME and KAFKA_PASSWORD to its id and its password.",
    )
  }
  return { ...login, readToken: readFromTokenEndpoint({ url, clientId, clientSecret, scope }) }
}
