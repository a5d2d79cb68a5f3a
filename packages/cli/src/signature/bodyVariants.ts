import { parseJson, siteReadySchema } from "@sitewire/contracts"
import { distinct, type Variant, variant } from "./variant.ts"

const raw = "Verify the raw bytes as received, before anything parses, prints or edits them."

/** Bodies that the sender may have signed, if the given body is an altered copy of one. */
export function bodyVariants(body: Buffer): Variant[] {
  const text = body.toString()
  // A body that is not UTF-8 has no variants: all variants edit text, and the conversion to text changes such
  // a body.
  if (!Buffer.from(text).equals(body)) return []
  const json = parseJson(text.replace(/^\u{feff}/u, ""))
  const latin1 = Buffer.from(text, "latin1")
  const variants = [
    variant(
      "without the newline at its end",
      `An editor, echo or a shell's <<< added it. ${raw}`,
      text.replace(/\r?\n$/, ""),
    ),
    variant("with a newline at its end", `$(…) or an editor removed it. ${raw}`, `${text}\n`),
    // Must precede the next variant: `distinct` retains the first of equal variants, and trim() removes a
    // byte order mark, too.
    variant(
      "without the byte order mark",
      `Something that saves "UTF-8 with BOM" added it. ${raw}`,
      text.replace(/^\u{feff}/u, ""),
    ),
    variant("without white space at its ends", raw, text.trim()),
    variant(
      "with LF for CRLF",
      `A transfer as text, or Git, changed the line ends. ${raw}`,
      text.replaceAll("\r\n", "\n"),
    ),
    variant(
      "with CRLF for LF",
      `A transfer as text, or Git, changed the line ends. ${raw}`,
      text.replace(/\r?\n/g, "\r\n"),
    ),
    variant(
      "as compact JSON",
      `It was parsed and serialised again, with another layout or other escapes. ${raw}`,
      json !== undefined && JSON.stringify(json),
    ),
    variant(
      "as compact JSON with the fields in the contract's order",
      `It was parsed and serialised again, with its fields in another order. ${raw}`,
      inContractOrder(json),
    ),
    variant(
      "read as UTF-8 and not as Latin-1",
      `It was decoded as ISO 8859-1 and written as UTF-8. ${raw}`,
      latin1.toString("latin1") === text && latin1,
    ),
  ]
  return distinct(variants.flat(), body)
}

function inContractOrder(json: unknown): string | false {
  const parsed = siteReadySchema.safeParse(json)
  return parsed.success && JSON.stringify(parsed.data)
}
