export type TimeOptions = {
  /** How far the signed time may be from the clock, in seconds, in both directions. Default: 300. */
  toleranceSeconds?: number
  /** Unix time in seconds, for tests. Default: this machine's clock. */
  now?: number
}

export type ConstructEventOptions = TimeOptions & {
  /** Which headers are verified. Default: `sitewire`, the header X-Sitewire-Signature. Only `standard-webhooks` has a time. */
  scheme?: "sitewire" | "standard-webhooks"
  /** The name of the header X-Sitewire-Signature, if the operator runs the service under another name. */
  header?: string
}

/** Throws a TypeError for options that have no meaning. */
export function requireOptions({ scheme, header, toleranceSeconds, now }: ConstructEventOptions): void {
  if (scheme !== undefined && scheme !== "sitewire" && scheme !== "standard-webhooks") {
    throw new TypeError('The scheme is unknown. Pass "sitewire" or "standard-webhooks".')
  }
  if (header !== undefined && !/^[A-Za-z0-9-]+$/.test(header)) {
    throw new TypeError(
      "The option header is not the name of a header. Pass one such as X-Sitewire-Signature.",
    )
  }
  // A comparison with NaN is false, so without this check every time would be accepted.
  if (![toleranceSeconds, now].every((seconds) => seconds === undefined || seconds >= 0)) {
    throw new TypeError(
      "toleranceSeconds or now is not a number of seconds, so no time can be judged. Check the setting that it comes from.",
    )
  }
}
