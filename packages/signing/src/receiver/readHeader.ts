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

function isHeaders(headers: RequestHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === "function"
}
