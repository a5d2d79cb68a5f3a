import { z } from "zod"

const scheme = "^[hH][tT][tT][pP][sS]?://"

/** The pattern is for readers of JSON Schema, because its format `uri` allows any scheme. */
export const httpUrl = z
  .url({ protocol: /^https?$/, abort: true })
  .max(2048)
  .meta({ override: { pattern: `${scheme}[^/?#]+` } })

const calledPattern = `${scheme}[^/?#@]+([/?][^#]*)?$`

/**
 * A URL that Sitewire calls. The rules that depend on the configuration are in packages/egress. The pattern is checked
 * first, because `url` removes white space, and accepts further slashes before the host and an empty user name.
 */
export const calledUrl = z
  .string()
  .regex(new RegExp(calledPattern), {
    abort: true,
    error:
      "must be an http or https URL, such as https://shop.example, without a user name or password (give credentials in request_headers) and without a fragment (#…)",
  })
  .max(2048)
  .url({ protocol: /^https?$/, abort: true })
  .meta({
    override: { pattern: calledPattern },
    "x-rejections": [
      "the scheme must be https",
      "is not called: use 443",
      "the host is neither a DNS name nor an IP address",
      "is not a public address",
      "denied by the operator",
    ],
  })
