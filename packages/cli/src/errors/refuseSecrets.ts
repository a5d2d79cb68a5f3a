import { incorrectUsage } from "./failure.ts"

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

type SecretKind = { prefix: string; name: string; advice: string }

const rotateSecret =
  "If it is in use, rotate it: sitewire channel secret stage CHANNEL, or, if it is a connection's, " +
  "sitewire connection replace-secret CONNECTION."

/**
 * Every kind of secret that Sitewire creates, except the web console's CSRF tokens: these have no prefix, and nothing
 * prints them. `advice` is for a user who gave the secret as an argument.
 */
const secretKinds: readonly SecretKind[] = [
  {
    prefix: "swk",
    name: "an API key",
    advice:
      "Give the key's id. To find it: sitewire key list, or, with the key in SITEWIRE_API_KEY, sitewire key show. " +
      "Revoke the key, because others may have read it: sitewire key revoke ID.",
  },
  {
    prefix: "swt",
    name: "a trigger URL or its token",
    advice:
      "Give the connection's id (sitewire connection list), or the URL to sitewire trigger --url-stdin. " +
      "Replace the token: sitewire connection replace-token CONNECTION.",
  },
  { prefix: "sws", name: "a signing secret", advice: rotateSecret },
  // The same secret, as libraries of Standard Webhooks take it.
  { prefix: "whsec", name: "a signing secret", advice: rotateSecret },
  { prefix: "swl", name: "a sign-in link", advice: "Open it in a browser, which also uses it up." },
  { prefix: "swc", name: "a session", advice: "Sign out of the web console, which ends the session." },
]

const prefixes = secretKinds.map(({ prefix }) => prefix).join("|")

/** Long enough that an id that somebody chose, such as sws_shop, does not count as a secret. */
const secretPattern = new RegExp(`(${prefixes})_[\\w+/=-]{16,}`, "g")

/** Removes secrets from an error message, because it can quote an argument or a response that contains one. */
export function redactSecrets(text: string): string {
  return text.replace(secretPattern, "$1_[secret]")
}
