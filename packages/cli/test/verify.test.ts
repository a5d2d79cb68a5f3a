import { mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sign } from "@sitewire/signing"
import vectors from "@sitewire/signing/vectors.json" with { type: "json" }
import { expect, test } from "vitest"
import { runCli } from "./fixtures/runCli.ts"
import { explain } from "../src/signature/explainSignature.ts"

const secret = "9f2c7b41d05e4a6e8c13ab77f0d92e54"
const fields = {
  event: "site.ready",
  channel: "acme",
  reference: "user-4711",
  site_url: "https://bakery.example/",
  console_url: "https://bakery.example/console/",
  name: "Bäckerei / Grün",
  email: "owner@bakery.example",
  created_at: "2026-01-31T09:30:00+00:00",
}
const body = JSON.stringify(fields)
const header = sign(body, secret)

function verify(input: string | Uint8Array, { given = header, key = secret, more = [] as string[] } = {}) {
  const args = ["verify", "--secret-env", "SIGNING", "--header", given, ...more]
  return runCli(args, { input, env: { SIGNING: key } })
}

test("a valid signature exits 0, from standard input and from a file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sitewire-cli-"))
  const [bodyFile, secretFile] = [join(folder, "body.json"), join(folder, "secret")]
  await Promise.all([writeFile(bodyFile, body), writeFile(secretFile, secret)])
  const [piped, filed] = await Promise.all([
    verify(body),
    runCli(["verify", "--secret-file", secretFile, "--header", header, "--body-file", bodyFile]),
  ])
  expect(piped).toMatchObject({ code: 0, stdout: expect.stringMatching(/^valid\n/) })
  expect(filed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^valid\n/) })

  const env = { npm_lifecycle_event: "sitewire", INIT_CWD: folder }
  const byNpm = ["verify", "--secret-file", "secret", "--header", header, "--body-file", "body.json"]
  expect(await runCli(byNpm, { env })).toMatchObject({ code: 0 })
})

test("the verdict is that of every published vector", () => {
  for (const vector of vectors) {
    const explanation = explain({
      body: Buffer.from(vector.body, "base64"),
      secret: Buffer.from(vector.secret),
      header: typeof vector.header === "string" ? vector.header : "",
    })
    expect(explanation.valid, vector.name).toBe(vector.valid)
    if (!explanation.valid) expect(explanation.reason, vector.name).toBe(vector.reason)
  }
})

const changed: [cause: string, body: string | Buffer, named: string][] = [
  ["an added newline", `${body}\n`, "the body without the newline at its end"],
  ["an added CRLF", `${body}\r\n`, "the body without the newline at its end"],
  ["spaces around it", `  ${body} \n\n`, "the body without white space at its ends"],
  ["a byte order mark", `\u{feff}${body}`, "the body without the byte order mark"],
  ["indentation", JSON.stringify(fields, null, 2), "the body as compact JSON"],
  [
    "escaped slashes and letters",
    body.replaceAll("/", "\\/").replace("ä", "\\u00e4"),
    "the body as compact JSON",
  ],
  [
    "fields in another order",
    JSON.stringify(Object.fromEntries(Object.entries(fields).toSorted())),
    "fields in the contract's order",
  ],
  ["a wrong decoding", Buffer.from(Buffer.from(body).toString("latin1")), "read as UTF-8 and not as Latin-1"],
]

test.each(changed)("a body with %s is told from other mismatches", (_, given, named) => {
  const explanation = explain({ body: Buffer.from(given), secret: Buffer.from(secret), header })
  expect(explanation).toMatchObject({ valid: false, reason: "mismatch" })
  const { matches } = explanation as Extract<typeof explanation, { reason: "mismatch" }>
  expect(matches).toHaveLength(1)
  expect(`the body ${matches[0]?.body}`).toContain(named)
  expect(matches[0]?.secret).toBeNull()
})

test("line ends that a transfer changed are told, in both directions", () => {
  const [lf, crlf] = ["{\n}x", "{\r\n}x"]
  const changeOf = (given: string, sent: string) => {
    const explanation = explain({
      body: Buffer.from(given),
      secret: Buffer.from(secret),
      header: sign(sent, secret),
    })
    return "matches" in explanation ? explanation.matches.map((match) => match.body) : []
  }
  expect(changeOf(crlf, lf)).toEqual(["with LF for CRLF"])
  expect(changeOf(lf, crlf)).toEqual(["with CRLF for LF"])
  expect(changeOf(lf, `${lf}\n`)).toEqual(["with a newline at its end"])
})

const encoded: [string, string, string][] = [
  ["a newline at its end", `${secret}\n`, "without white space at its ends"],
  ["quotes around it", `"${secret}"`, "without the quotes around it"],
  ["base64 around it", Buffer.from(secret).toString("base64"), "decoded from base64"],
  ["its whsec_ form", `whsec_${Buffer.from(secret).toString("base64")}`, "decoded from its whsec_ form"],
  ["hexadecimal around it", Buffer.from(secret).toString("hex"), "decoded from hexadecimal"],
]

test.each(encoded)("a secret with %s is told", async (_, key, named) => {
  const { code, stdout } = await verify(body, { key, more: ["--json"] })
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ reason: "mismatch", matches: [{ body: null, secret: named }] })
})

test("two causes at once are told together", async () => {
  const { code, stdout } = await verify(`${body}\n`, { key: `${secret}\n` })
  expect(code).toBe(1)
  expect(stdout).toContain(
    "It would match with the body without the newline at its end and the secret without white space at its ends.",
  )
})

test("where nothing would match, it says what was tried and how to go on, and exits 1", async () => {
  const { code, stdout } = await verify(body.replace("Grün", "Gruen"))
  expect(code).toBe(1)
  expect(stdout).toContain("the secret did not sign these bytes")
  expect(stdout).toContain("Nor would it match with")
  expect(stdout).toContain("compare the sha256 above with body_sha256")
})

const digits = header.slice("sha256=".length)
const malformed: [string, string, string, string][] = [
  ["no prefix", digits, 'the prefix "sha256=" is missing', "matches"],
  [
    "an upper-case prefix",
    `SHA256=${digits}`,
    'its prefix is "SHA256=", not "sha256=" in lower case',
    "matches",
  ],
  ["another prefix", `sha1=${digits}`, 'its prefix is "sha1=", not "sha256=": another algorithm', "matches"],
  ["upper-case digits", `sha256=${digits.toUpperCase()}`, "upper-case hexadecimal digits", "matches"],
  [
    "a digit too few",
    header.slice(0, -1),
    "it has 63 characters after the prefix, not 64: it was cut",
    "unknown",
  ],
  ["no digits", "sha256=", "it has 0 characters after the prefix, not 64: the digits are missing", "unknown"],
  [
    "a letter that is no digit",
    `${header.slice(0, -1)}g`,
    '"g", character 64 after the prefix, is not',
    "unknown",
  ],
  ["base64", `sha256=${Buffer.from(digits, "hex").toString("base64")}`, "it looks like base64", "matches"],
  ["its name in it", `X-Sitewire-Signature: ${header}`, "the header's name stands in it", "matches"],
  ["white space around it", ` ${header}\n`, "there is white space around it", "matches"],
  ["quotes around it", `"${header}"`, "it is in quotes", "matches"],
  ["a wrong value in upper case", `sha256=${"AB".repeat(32)}`, "upper-case hexadecimal digits", "mismatch"],
  [
    "that of Standard Webhooks",
    `v1,${"A".repeat(43)}= v1,${"B".repeat(43)}=`,
    "give X-Sitewire-Signature here",
    "unknown",
  ],
]

test.each(malformed)("a header with %s is told, and whether it would match", (_, given, fault, corrected) => {
  const explanation = explain({ body: Buffer.from(body), secret: Buffer.from(secret), header: given })
  expect(explanation).toMatchObject({ valid: false, reason: "malformed", corrected })
  expect("faults" in explanation && explanation.faults.join("\n")).toContain(fault)
})

test("an empty header is missing, and exits 1", async () => {
  const { code, stdout } = await verify(body, { given: "" })
  expect({ code, stdout }).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("the header is missing"),
  })
})

test("wrong use exits 2, and no message repeats a secret that was put into the arguments", async () => {
  const uses = [
    ["verify"],
    ["verify", "--header", header],
    ["verify", "--header", header, "--secret", secret],
    ["verify", "--header", header, `--secret=${secret}`],
    ["verify", "--header", header, secret],
    ["verify", "--header", header, "--secret-env", secret],
    ["verify", "--header", header, "--secret-env", "EMPTY"],
    ["verify", "--header", header, "--secret-file", "/nowhere"],
    ["verify", "--header", header, "--secret-file", "-"],
    ["verify", "--header", header, "--secret-file", "a", "--secret-env", "SIGNING"],
  ]
  const results = await Promise.all(uses.map((args) => runCli(args, { input: body, env: { EMPTY: "" } })))
  for (const [index, { code, stdout, stderr }] of results.entries()) {
    expect(code, uses[index]?.join(" ")).toBe(2)
    expect(stdout + stderr).not.toContain(secret)
    expect(stderr).toMatch(/^error: /)
  }
  expect(results[2]?.stderr).toContain("Arguments can be read by every process")
})
