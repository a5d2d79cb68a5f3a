import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { curlOf } from "./curl.ts"

test("the shell command sends the exact body and headers to the URL, and the shell expands nothing of a partner's", () => {
  const url = "https://partner.example/it's?a=1&b=2"
  const headers = { "X-Sitewire-Signature": "sha256=1f0c", "`env`": "a", "$(id)": "b", "it's": "$HOME" }
  const name = `O'Brien "& Söhne" \\ مخبز $HOME \u2028`
  const body = JSON.stringify({ event: "site.ready", name, reference: "a\nb" })
  const script = `curl() { printf '%s\\0' "$@"; }\n${curlOf(url, headers, body)}`
  const sent = execFileSync("bash", ["-c", script], { encoding: "utf8" }).split("\0")
  const options = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`])
  expect(sent).toEqual(["-i", url, ...options, "--data-binary", body, ""])
})
