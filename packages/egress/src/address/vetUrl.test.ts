import { expect, test } from "vitest"
import { parsePolicy } from "./addressPolicy.ts"
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
])("%s is a reason to reject", (reason, urls) => {
  for (const url of urls) expect(vetUrl(url, strict), url).toMatchObject({ kind: "rejected", reason })
})

test("a private address is blocked in every notation", () => {
  const notations = [
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.1.",
  ]
  notations.push(
    "[::ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::]",
    "１２７.0.0.1",
    "127。0。0。1",
  )
  notations.push(
    "0x7f.0.0.0x1",
    "127.0.1",
    "0",
    "0x0",
    "[::ffff:7f00:1]",
    "[::ffff:0:7f00:1]",
    "[0:0:0:0:0:0:0:1]",
  )
  // 169.254.169.254 in decimal, hexadecimal, octal, a mixture, mapped, NAT64 and 6to4.
  notations.push("2852039166", "0xA9FEA9FE", "0251.0376.0251.0376", "169.0xfe.43518", "[::ffff:a9fe:a9fe]")
  notations.push("[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::]")
  notations.push("LOCALHOST", "localhost.", "a.localhost", "%31%32%37.0.0.1")
  for (const host of notations) {
    expect(vetUrl(`https://${host}/`, strict), host).toMatchObject({
      kind: "rejected",
      reason: "blocked-address",
    })
  }
})

test("a URL that the operator allows is accepted and returned normalised", () => {
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

test("only ports that the operator allows are called, the default one of the scheme included", () => {
  const ports = parsePolicy({
    allow: [],
    allowHttp: true,
    ports: [
      [443, 443],
      [8000, 8999],
    ],
  })
  for (const url of ["https://a.example/", "https://a.example:8000/", "http://a.example:8999/"])
    expect(vetUrl(url, ports), url).toMatchObject({ kind: "ok" })
  for (const url of [
    "http://a.example/",
    "https://a.example:22/",
    "https://a.example:7999/",
    "https://a.example:9000/",
  ])
    expect(vetUrl(url, ports), url).toMatchObject({ kind: "rejected", reason: "port" })
})

test("a rejection contains neither credentials nor path", () => {
  for (const url of [
    "https://us3r:pa55@partner.example/t0ken",
    "http://partner.example/t0ken",
    "https://10.0.0.1/t0ken",
  ]) {
    expect(JSON.stringify(vetUrl(url, strict))).not.toMatch(/us3r|pa55|t0ken/)
  }
})
