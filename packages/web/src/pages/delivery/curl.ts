import type { Schemas } from "../../api/client.ts"

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * Shell commands that repeat an attempt. The page does not know the secret, so they compute the signature of the body
 * with the one in SITEWIRE_SECRET.
 */
export function curlOf({ url, request_headers }: Schemas["Attempt"], body: string): string {
  const headers = Object.entries(request_headers ?? {}).flatMap(([name, value]) => {
    if (/-signature$/i.test(name)) return /^webhook-/i.test(name) ? [] : [`-H "${name}: $SIGNATURE"`]
    return [`-H ${quote(`${name}: ${value}`)}`]
  })
  return [
    `BODY=${quote(body)}`,
    `SIGNATURE="sha256=$(printf '%s' "$BODY" | openssl dgst -sha256 -hmac "$SITEWIRE_SECRET" -r | cut -d' ' -f1)"`,
    [`curl -i ${quote(url ?? "")}`, ...headers, '--data-binary "$BODY"'].join(" \\\n  "),
  ].join("\n")
}
