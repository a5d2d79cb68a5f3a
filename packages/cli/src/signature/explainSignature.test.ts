import { sign } from "@sitewire/signing/sender"
import { expect, test } from "vitest"
import vectors from "../../../../kit/vectors/deliveries.json" with { type: "json" }
import { body, fields, header, secret } from "../../test/fixtures/signedBody.ts"
import { explainSignature } from "./explainSignature.ts"

test("the verdict on every published test vector is correct", () => {
  const signed = vectors.filter(({ scheme }) => scheme === "sitewire")
  expect(signed.length).toBeGreaterThan(50)
  for (const { name, body, secrets, headers, fault } of signed) {
    const header = new Map(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]))
    const explanations = secrets.map((secret) =>
      explainSignature({
        body: Buffer.from(body, "base64"),
        secret: Buffer.from(secret),
        header: header.get("x-sitewire-signature") ?? "",
      }),
    )
    const reasons = explanations.map((explanation) => (explanation.valid ? "valid" : explanation.reason))
    // What a signed body says is not explained here.
    if (fault === undefined || fault === "invalid-body") expect(reasons, name).toContain("valid")
    else expect(new Set(reasons), name).toEqual(new Set([fault]))
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

test.each(changed)(
  "a mismatch because of a body with %s is explained by that cause only",
  (_, given, named) => {
    const explanation = explainSignature({ body: Buffer.from(given), secret: Buffer.from(secret), header })
    expect(explanation).toMatchObject({ valid: false, reason: "mismatch" })
    const { matches } = explanation as Extract<typeof explanation, { reason: "mismatch" }>
    expect(matches).toHaveLength(1)
    expect(`the body ${matches[0]?.body}`).toContain(named)
    expect(matches[0]?.secret).toBeNull()
  },
)

test("a mismatch because of changed line ends is explained, in both directions", () => {
  const [lf, crlf] = ["{\n}x", "{\r\n}x"]
  const changeOf = (given: string, sent: string) => {
    const explanation = explainSignature({
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
    "it has 63 characters after the prefix, not 64: it was truncated",
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
  ["its name in it", `X-Sitewire-Signature: ${header}`, "it contains the header's name", "matches"],
  ["white space around it", ` ${header}\n`, "it has white space at its start or end", "matches"],
  ["quotes around it", `"${header}"`, "it is in quotes", "matches"],
  ["a wrong value in upper case", `sha256=${"AB".repeat(32)}`, "upper-case hexadecimal digits", "mismatch"],
  [
    "that of Standard Webhooks",
    `v1,${"A".repeat(43)}= v1,${"B".repeat(43)}=`,
    "give X-Sitewire-Signature here",
    "unknown",
  ],
]

test.each(malformed)(
  "a header with %s is explained, and whether it would match in the correct form",
  (_, given, fault, corrected) => {
    const explanation = explainSignature({
      body: Buffer.from(body),
      secret: Buffer.from(secret),
      header: given,
    })
    expect(explanation).toMatchObject({ valid: false, reason: "malformed", corrected })
    expect("faults" in explanation && explanation.faults.join("\n")).toContain(fault)
  },
)
