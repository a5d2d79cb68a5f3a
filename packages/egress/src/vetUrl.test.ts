import { expect, test } from "vitest"
import { parsePolicy } from "./policy.ts"
import { vetUrl } from "./vetUrl.ts"

const strict = parsePolicy({ allow: [], allowHttp: false })
const local = parsePolicy({ allow: ["127.0.0.0/8"], allowHttp: true })

test.each([
  ["unparsable", ["", "partner.example", "/hook", "https://", "https://256.1.1.1/", "https://a b/"]],
  ["scheme", ["http://partner.example/", "ftp://partner.example/", "file:///etc/passwd", "javascript:1"]],
  ["credentials", ["https://user@partner.example/", "https://user:pass@partner.example/"]],
  ["fragment", ["https://partner.example/#x", "https://partner.example/#"]],
  ["port", ["https://partner.example:0/"]],
  [
    "host",
    ["https://a..b/", "https://-a.example/", `https://${"a".repeat(64)}.example/`, "https://a*b.example/"],
  ],
  [
    "blocked-address",
    ["https://10.0.0.1/", "https://[::1]/", "https://[fd00:ec2::254]/", "https://localhost/"],
  ],
])("%s is a reason to refuse", (reason, urls) => {
  for (const url of urls) expect(vetUrl(url, strict), url).toMatchObject({ kind: "refused", reason })
})

test("every spelling of a private address is the same private address", () => {
  const spellings = [
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.1.",
  ]
  spellings.push(
    "[::ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::]",
    "１２７.0.0.1",
    "127。0。0。1",
  )
  spellings.push("LOCALHOST", "localhost.", "a.localhost", "%31%32%37.0.0.1")
  for (const host of spellings) {
    expect(vetUrl(`https://${host}/`, strict), host).toMatchObject({
      kind: "refused",
      reason: "blocked-address",
    })
  }
})

test("what the operator allows is accepted, and the URL comes back normalised", () => {
  const verdict = vetUrl("HTTP://0x7f.1:8080/Hook?a=1", local)
  expect(verdict.kind === "ok" && verdict.url.href).toBe("http://127.0.0.1:8080/Hook?a=1")
  for (const url of [
    "https://partner.example/hook",
    "https://partner.example.:8443/",
    "https://bücher.example/",
    "https://1.1.1.1/",
  ]) {
    expect(vetUrl(url, strict), url).toMatchObject({ kind: "ok" })
  }
})

test("a refusal repeats neither credentials nor path", () => {
  for (const url of [
    "https://us3r:pa55@partner.example/t0ken",
    "http://partner.example/t0ken",
    "https://10.0.0.1/t0ken",
  ]) {
    expect(JSON.stringify(vetUrl(url, strict))).not.toMatch(/us3r|pa55|t0ken/)
  }
})
