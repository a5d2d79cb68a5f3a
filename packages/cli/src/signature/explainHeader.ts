const prefix = "sha256="
const standardWebhooks =
  "it is a webhook-signature of Standard Webhooks, which signs an id and a time too: give X-Sitewire-Signature here, " +
  "and check a webhook-signature with a standardwebhooks library"

export type HeaderFaults = {
  faults: string[]
  /** The value that the sender probably meant, in the correct form. Null: it cannot be determined. */
  repaired: string | null
}

/** Lists how the header differs from the correct form: `sha256=` and 64 lowercase hexadecimal digits. */
export function explainHeader(header: string): HeaderFaults {
  const faults: string[] = []
  const strip = (pattern: RegExp, fault: string, text: string) => {
    const stripped = text.replace(pattern, "$1")
    if (stripped !== text) faults.push(fault)
    return stripped
  }
  let rest = strip(/^\s*(.*?)\s*$/s, "it has white space at its start or end", header)
  rest = strip(
    /^[a-z0-9-]+-signature\s*:\s*(.*)$/is,
    "it contains the header's name: give only the value",
    rest,
  )
  rest = strip(/^["'](.*)["']$/s, "it is in quotes: remove them", rest)
  if (rest.startsWith("v1,")) return { faults: [...faults, standardWebhooks], repaired: null }
  if (rest.includes(","))
    faults.push("it contains a comma: it has several values, or belongs to another scheme")

  const found = /^([a-z0-9-]{1,12})\s*([=:])\s*/i.exec(rest)
  if (!rest.startsWith(prefix)) faults.push(explainPrefix(found))
  const digits = rest.startsWith(prefix)
    ? rest.slice(prefix.length)
    : found
      ? rest.slice(found[0].length)
      : rest
  faults.push(...explainDigits(digits))
  return { faults, repaired: repair(digits) }
}

function explainPrefix(match: RegExpExecArray | null): string {
  if (match === null) return `the prefix "${prefix}" is missing`
  const [text, name = "", separator = ""] = match
  if (name.toLowerCase() !== "sha256")
    return `its prefix is "${name}${separator}", not "${prefix}": another algorithm or scheme`
  if (name !== "sha256") return `its prefix is "${name}${separator}", not "${prefix}" in lower case`
  return `its prefix is "${text}", not "${prefix}" without spaces`
}

function explainDigits(digits: string): string[] {
  const faults: string[] = []
  if (digits.length !== 64)
    faults.push(`it has ${digits.length} characters after the prefix, not 64${guess(digits)}`)
  if (/^[0-9a-f]*$/i.test(digits) && /[A-F]/.test(digits)) {
    faults.push("it has upper-case hexadecimal digits, and they must be lower case")
  }
  const at = digits.search(/[^0-9a-f]/i)
  if (at !== -1) {
    faults.push(
      `${JSON.stringify(digits[at])}, character ${at + 1} after the prefix, is not a hexadecimal digit`,
    )
  }
  return faults
}

function guess(digits: string): string {
  if (digits.length === 0) return ": the digits are missing"
  if (isBase64(digits)) return ": it looks like base64, and must be hexadecimal"
  if (digits.length === 40) return ": it has the length of a SHA-1"
  if (digits.length === 128) return ": it has the length of a SHA-512"
  return digits.length < 64 ? ": it was truncated" : ""
}

function isBase64(digits: string): boolean {
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(digits)
}

function repair(digits: string): string | null {
  if (/^[0-9a-f]{64}$/i.test(digits)) return prefix + digits.toLowerCase()
  return isBase64(digits) ? prefix + Buffer.from(digits, "base64").toString("hex") : null
}
