import type { Attempt } from "@sitewire/contracts"

/** Sitewire's own header. The partner chooses other names, but none like this. */
const isSignatureHeader = (name: string) => /^x-[a-z0-9]+-signature$/i.test(name)

export const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * Shell commands that repeat an attempt. The page does not know the secret, so they compute the signature of the body
 * with the one in SITEWIRE_SECRET.
 */
export function curlOf({ url, request_headers }: Attempt, body: string): string {
  const headers = Object.entries(request_headers ?? {}).flatMap(([name, value]) => {
    if (/^webhook-signature$/i.test(name)) return []
    if (isSignatureHeader(name)) return [`-H "${name}: $SIGNATURE"`]
    // The partner may have chosen both, so the shell must not expand them.
    return [`-H ${quote(`${name}: ${value}`)}`]
  })
  return [
    `BODY=${quote(body)}`,
    `SIGNATURE="sha256=$(printf '%s' "$BODY" | openssl dgst -sha256 -hmac "$SITEWIRE_SECRET" -r | cut -d' ' -f1)"`,
    [`curl -i ${quote(url ?? "")}`, ...headers, '--data-binary "$BODY"'].join(" \\\n  "),
  ].join("\n")
}
