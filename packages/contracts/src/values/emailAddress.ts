import { z } from "zod"

/** An address to which e-mails are sent: ASCII, without a name, quotation marks or line breaks. */
export const emailAddressSchema = z.email("must be one e-mail address").max(254)
