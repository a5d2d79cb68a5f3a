/** A `Headers` object, or a record as `node:http` has it. Names may be in any case. */
export type RequestHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** The value of a header: "" if it is missing, a list if it is there in more than one value. */
export function readHeader(headers: RequestHeaders, name: string): string | readonly string[] {
  if (isHeaders(headers)) return headers.get(name) ?? ""
  const values = Object.entries(headers).flatMap(([key, value]) =>
    key.toLowerCase() === name.toLowerCase() && value !== undefined ? [value] : [],
  )
  return values.length > 1 ? values.flat() : (values[0] ?? "")
}

/** The value of a header, "" if it is not there once. */
export function readOnce(headers: RequestHeaders, name: string): string {
  const value = readHeader(headers, name)
  return typeof value === "string" ? value : ""
}

/** The header beside X-Sitewire-Signature that has another last word, such as X-Sitewire-Delivery. */
export function readBeside(
  headers: RequestHeaders,
  signature: string,
  word: "Challenge" | "Delivery",
): { name: string; value: string } {
  const name = signature.replace(/(?<=-)Signature$/i, word)
  return { name, value: name === signature ? "" : readOnce(headers, name) }
}

function isHeaders(headers: RequestHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === "function"
}
