import { z } from "zod"

const scheme = "^[hH][tT][tT][pP][sS]?://"

/** The pattern is for readers of JSON Schema, because its format `uri` allows any scheme. */
export const httpUrl = z
  .url({ protocol: /^https?$/, abort: true })
  .max(2048)
  .meta({ override: { pattern: `${scheme}[^/?#]+` } })

/** A URL that Sitewire calls. The rules that depend on the configuration are in packages/egress. */
export const calledUrl = httpUrl.meta({
  override: { pattern: `${scheme}[^/?#@]+([/?][^#]*)?$` },
  "x-rejections": [
    "the scheme must be https",
    "is not called: use 443",
    "the host is neither a DNS name nor an IP address",
    "is not a public address",
  ],
})
