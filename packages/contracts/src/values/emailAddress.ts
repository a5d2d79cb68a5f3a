import { z } from "zod"
import { control, controlOrSpace, textLike } from "./plainText.ts"

/** An address to which e-mails are sent: ASCII, without a name, quotation marks or line breaks. */
export const emailAddressSchema = z.email("must be one e-mail address").max(254)

const quoted = `"([^"\\\\${control}]|\\\\[^${control}]){0,62}"`

/** An address that is only passed on, so it may be each of RFC 5321 and RFC 6531, also with a quoted local part. */
export const anyEmailAddress = textLike(
  `^([^@"${controlOrSpace}]{1,64}|${quoted})@[^@${controlOrSpace}]{1,255}$`,
  "must be one e-mail address",
).max(320)
