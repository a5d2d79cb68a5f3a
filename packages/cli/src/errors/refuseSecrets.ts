import { incorrectUsage } from "./failure.ts"
import { secretKinds, secretPattern } from "./secretKinds.ts"

/**
 * Rejects a command whose arguments or options contain a secret, such as an API key in place of its id. Otherwise the
 * secret would be sent in a URL, which proxies log.
 */
export function refuseSecrets(values: readonly unknown[]): void {
  const texts = values.flat().filter((value) => typeof value === "string")
  const [found] = texts.join("\n").matchAll(secretPattern)
  const kind = secretKinds.find(({ prefix }) => prefix === found?.[1])
  if (!kind) return
  throw incorrectUsage(
    `The arguments contain ${kind.name}. Every process of this machine can read arguments, and the shell's history ` +
      `stores them. Nothing was sent. ${kind.advice}`,
  )
}
