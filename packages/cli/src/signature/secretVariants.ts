import { distinct, type Variant, variant } from "./variant.ts"

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
