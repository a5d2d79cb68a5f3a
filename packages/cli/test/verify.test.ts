import { mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { runCommand } from "./fixtures/runCommand.ts"
import { body, header, secret } from "./fixtures/signedBody.ts"

function verify(input: string | Uint8Array, { given = header, key = secret, more = [] as string[] } = {}) {
  const args = ["verify", "--secret-env", "SIGNING", "--header", given, ...more]
  return runCommand(args, { input, env: { SIGNING: key } })
}

test("a valid signature has exit code 0, with the body from standard input and from a file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sitewire-cli-"))
  const [bodyFile, secretFile] = [join(folder, "body.json"), join(folder, "secret")]
  await Promise.all([writeFile(bodyFile, body), writeFile(secretFile, secret)])
  const [piped, filed] = await Promise.all([
    verify(body),
    runCommand(["verify", "--secret-file", secretFile, "--header", header, "--body-file", bodyFile]),
  ])
  expect(piped).toMatchObject({ code: 0, stdout: expect.stringMatching(/^valid\n/) })
  expect(filed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^valid\n/) })
})

const encoded: [string, string, string][] = [
  ["a newline at its end", `${secret}\n`, "without white space at its ends"],
  ["quotes around it", `"${secret}"`, "without the quotes around it"],
  ["base64 around it", Buffer.from(secret).toString("base64"), "decoded from base64"],
  ["its whsec_ form", `whsec_${Buffer.from(secret).toString("base64")}`, "decoded from its whsec_ form"],
  ["hexadecimal around it", Buffer.from(secret).toString("hex"), "decoded from hexadecimal"],
]

test.each(encoded)("a mismatch because of a secret with %s is explained", async (_, key, named) => {
  const { code, stdout } = await verify(body, { key, more: ["--json"] })
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ reason: "mismatch", matches: [{ body: null, secret: named }] })
})

test("two causes at once are explained together", async () => {
  const { code, stdout } = await verify(`${body}\n`, { key: `${secret}\n` })
  expect(code).toBe(1)
  expect(stdout).toContain(
    "It would match with the body without the newline at its end and the secret without white space at its ends.",
  )
})

test("if no variant matches, the output lists what was tried and what to check", async () => {
  const { code, stdout } = await verify(body.replace("Grün", "Gruen"))
  expect(code).toBe(1)
  expect(stdout).toContain("the secret did not sign these bytes")
  expect(stdout).toContain("It would not match with these changes either:")
  expect(stdout).toContain(
    "compare the sha256 above with body_sha256 of `sitewire delivery reveal DELIVERY --json`",
  )
})

test("an empty header counts as missing, with exit code 1", async () => {
  const { code, stdout } = await verify(body, { given: "" })
  expect({ code, stdout }).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("the header is missing"),
  })
})

test("incorrect usage has exit code 2, and no message repeats a secret from the arguments", async () => {
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
  const results = await Promise.all(uses.map((args) => runCommand(args, { input: body, env: { EMPTY: "" } })))
  for (const [index, { code, stdout, stderr }] of results.entries()) {
    expect(code, uses[index]?.join(" ")).toBe(2)
    expect(stdout + stderr).not.toContain(secret)
    expect(stderr).toMatch(/^error: /)
  }
  expect(results[2]?.stderr).toContain("Arguments can be read by every process")
})
