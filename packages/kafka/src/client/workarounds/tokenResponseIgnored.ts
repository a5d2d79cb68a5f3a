/*
 * Defect of kafkajs 2.2.4: its SASL/OAUTHBEARER (RFC 7628) reads no response, so a rejected token counts as accepted.
 * Effect: the next request fails with an error that does not mention the token.
 * Delete this file when kafkajs reads the response, and pass `oauthBearerProvider`.
 */
import type { Mechanism } from "kafkajs"
import type { TokenLogin } from "../connectKafka.ts"

export function tokenAuthentication({ readToken, extensions }: TokenLogin): Mechanism {
  return {
    mechanism: "oauthbearer",
    authenticationProvider: ({ saslAuthenticate }) => ({
      async authenticate() {
        const token = await readToken().catch(async (error: unknown) => {
          // The broker, which waits for a token, ends the connection. Otherwise the next login would fail for this reason.
          await saslAuthenticate({ request: message("\x01") }).catch(() => {})
          throw error
        })
        const fields = { auth: `Bearer ${token}`, ...extensions }
        const pairs = Object.entries(fields).map(([name, value]) => `${name}=${value}\x01`)
        const challenge = await saslAuthenticate({
          request: message(`n,,\x01${pairs.join("")}\x01`),
          response: { decode: (bytes) => bytes.subarray(4), parse: (bytes) => bytes.toString() },
        })
        if (!challenge) return
        // The broker ends the connection after this response.
        await saslAuthenticate({ request: message("\x01") }).catch(() => {})
        throw new Error(
          `The broker rejected the token (${statusIn(challenge)}). Check that it trusts the server that issued the token, and that the token has the audience and the scopes that it requires (KAFKA_TOKEN_SCOPE).`,
        )
      },
    }),
  }
}

/** kafkajs sends the bytes as they are, and the protocol requires their number before them. */
function message(text: string) {
  const content = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeInt32BE(content.length)
  return { encode: () => Buffer.concat([length, content]) }
}

/** The challenge is JSON, such as {"status":"invalid_token"}. */
function statusIn(challenge: string): string {
  return /"status"\s*:\s*"(\w{1,60})"/.exec(challenge)?.[1] ?? "without a reason"
}
