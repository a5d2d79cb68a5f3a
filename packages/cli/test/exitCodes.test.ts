import { closedPort } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { exitCodes } from "../src/errors/exitCodes.ts"
import { runCli } from "./fixtures/runCli.ts"
import { body, header, secret } from "./fixtures/signedBody.ts"

test("the help text lists every exit code", async () => {
  const { stdout } = await runCli(["--help"])
  for (const code of Object.values(exitCodes)) expect(stdout).toMatch(new RegExp(`^  ${code}  \\S`, "m"))
})

test("each exit code is used as documented", async () => {
  const verify = (input: string) =>
    runCli(["verify", "--secret-env", "S", "--header", header], { input, env: { S: secret } })
  const api = `http://127.0.0.1:${await closedPort()}`
  const [valid, invalid, incorrect, unreachable] = await Promise.all([
    verify(body),
    verify(`${body} `),
    runCli(["channel", "destroy"]),
    runCli(["channel", "list", "--api", api], { env: { SITEWIRE_API_KEY: "swk_k" } }),
  ])
  expect(valid.code).toBe(0)
  expect(invalid.code).toBe(1)
  expect(incorrect.code).toBe(2)
  expect(unreachable.code).toBe(3)
})
