/** The signing secrets that are accepted: one, or during a rotation the old and the new one. */
export type Secrets = readonly (string | undefined)[]

/** Throws a TypeError unless there is a secret and each is a text that is not empty. */
export function requireSecrets(secrets: Secrets): asserts secrets is readonly string[] {
  if (!Array.isArray(secrets) || secrets.length === 0) {
    throw new TypeError(
      "No signing secret was given, so nothing can be verified. Pass a list with the channel's secret.",
    )
  }
  for (const secret of secrets) requireSecret(secret)
}

/** Throws a TypeError unless the secret is a text that is not empty. */
export function requireSecret(secret: string | undefined): asserts secret is string {
  // HMAC accepts an empty key: if a variable that is not set were read as "", anybody could sign.
  if (typeof secret === "string" && secret !== "") return
  throw new TypeError(
    "A signing secret is empty or not a text, so anybody could sign. Check the setting that it comes from.",
  )
}
