import { parseJson, siteReadySchema } from "@sitewire/contracts"

/** A body or secret with one common alteration reversed. `bytes` is the presumed original. */
export type Variant = { change: string; advice: string; bytes: Buffer }

/** `result`: the presumed original, or false if the input rules this alteration out. The list is then empty. */
function variant(change: string, advice: string, result: string | Buffer | false): Variant[] {
  return result === false ? [] : [{ change, advice, bytes: Buffer.from(result) }]
}

function distinct(variants: Variant[], given: Buffer): Variant[] {
  return variants.filter(({ bytes }, index) => {
    const first = variants.findIndex((other) => other.bytes.equals(bytes))
    return first === index && !bytes.equals(given)
  })
}

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

/** The HMAC keys that the user may have meant, if the given secret is an altered copy. */
export function secretVariants(secret: Buffer): Variant[] {
  const text = secret.toString()
  const trimmed = text.trim()
  const variants = [
    variant(
      "without white space at its ends",
      "The file or variable ends with a newline or a space: remove it.",
      trimmed,
    ),
    variant(
      "without the quotes around it",
      "The quotes are not part of the secret: remove them.",
      trimmed.replace(/^(["'])(.*)\1$/s, "$2"),
    ),
    variant(
      "decoded from base64",
      "The HMAC key is the secret's text. Give the secret itself, not an encoding of it.",
      /^[A-Za-z0-9+/_-]{8,}={0,2}$/.test(trimmed) && Buffer.from(trimmed, "base64"),
    ),
    variant(
      "decoded from its whsec_ form",
      "Libraries decode that form. Here, and to code of your own that does not, give the secret itself.",
      trimmed.startsWith("whsec_") && Buffer.from(trimmed.slice("whsec_".length), "base64"),
    ),
    variant(
      "decoded from hexadecimal",
      "The HMAC key is the secret's text. Give the secret itself, not an encoding of it.",
      /^([0-9a-f]{2})+$/i.test(trimmed) && Buffer.from(trimmed, "hex"),
    ),
  ]
  return distinct(variants.flat(), secret).filter(({ bytes }) => bytes.length > 0)
}
