import { z } from "zod"
import { controlOrSpace, textLike } from "./plainText.ts"

const scheme = "^[hH][tT][tT][pP][sS]?://"
const nowhere = `"<>\\\\^\`{|}${controlOrSpace}`
const noHost = `#%/:?@\\[\\]${nowhere}`
/** The last label has a letter, because a host that ends in a number is an IPv4 address. */
const name = `([^${noHost}]*\\.)?[0-9]*[^.0-9${noHost}][^.${noHost}]*\\.?`
const byte = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
const host = `(${name}|${byte}(\\.${byte}){3}|\\[[0-9a-fA-F:.]+\\])`
const port = ":0*([0-9]{0,4}|[0-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
// No group is repeated without a bound, because Java's stack overflows at some hundred repetitions.
const pattern = `${scheme}([A-Za-z0-9._~!\\x24&'()*+,;=:%-]*@)?${host}(${port})?(/[^#?\\[\\]${nowhere}]*)?(\\?[^#${nowhere}]*)?(#[^#${nowhere}]*)?$`

const excluded = new RegExp(`[${nowhere}]`)
const wrongEscape = "must have two hexadecimal digits after each %"
const wrongHost = "must have a valid host"

/**
 * An absolute URL that the strict parsers of Java (`java.net.URI`) and Go (`net/url`) accept, too. They accept letters such as "ü", which
 * JSON Schema's format `uri` does not.
 */
export const httpUrl = textLike(pattern, ({ input }) =>
  excluded.test(String(input))
    ? 'must have white space, control characters and each of "<>\\^`{|} percent-encoded'
    : "must be an absolute http or https URL with a host, such as https://shop.example",
)
  .max(2048)
  .refine((url) => !/%(?![0-9A-Fa-f]{2})/.test(url), { error: wrongEscape, abort: true })
  // No pattern says which hosts are valid in Punycode.
  .refine(URL.canParse, wrongHost)
  .meta({ "x-rejections": [wrongEscape, wrongHost] })

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
