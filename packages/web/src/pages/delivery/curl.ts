export const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** A shell command that sends a request again, as it was signed. A partner's headers are not expanded by the shell. */
export function curlOf(url: string, headers: Record<string, string>, body: string): string {
  const options = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)
  return [`curl -i ${quote(url)}`, ...options, `--data-binary ${quote(body)}`].join(" \\\n  ")
}
