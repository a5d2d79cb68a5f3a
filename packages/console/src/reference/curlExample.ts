import type { Operation } from "../api/openapi/jsonSchema.ts"

/** A command for a shell in which SITEWIRE_API is the console's address, and SITEWIRE_API_KEY a key. */
export function curlExample(path: string, method: string, operation: Operation): string {
  const { parameters = [], requestBody, security } = operation
  const required = (place: string) => parameters.filter((one) => one.in === place && one.required)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const { example } = parameters.find((parameter) => parameter.name === name) ?? {}
    return encodeURIComponent(String(example))
  })
  const query = new URLSearchParams(
    required("query").map(({ name, example }): [string, string] => [name, String(example)]),
  )
  const url = `"$SITEWIRE_API${filled}${query.size > 0 ? `?${query}` : ""}"`
  const body = requestBody?.content["application/json"]?.example
  const options = [
    ...(security?.length === 0 ? [] : ['-H "Authorization: Bearer $SITEWIRE_API_KEY"']),
    ...required("header").map(({ name, example }) => `-H ${quote(`${name}: ${example}`)}`),
    ...(body === undefined
      ? []
      : [`-H "Content-Type: application/json"`, `-d ${quote(JSON.stringify(body))}`]),
  ]
  const start = method === "get" ? "curl" : `curl -X ${method.toUpperCase()}`
  return [`${start} ${url}`, ...options].join(" \\\n  ")
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
