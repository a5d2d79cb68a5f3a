import type { ConnectionTriggerUrl, CreatedApiKey, CreatedChannel, SignInLink } from "@sitewire/contracts"
import { standardWebhooksSecret } from "@sitewire/signing/sender"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { startReceiver } from "../src/receivers/index.ts"
import { runCommand, runJson } from "./fixtures/runCommand.ts"
import { startConsole } from "./fixtures/startConsole.ts"

let system: Awaited<ReturnType<typeof startConsole>>
let secrets: { kind: string; secret: string }[]
beforeAll(async () => {
  system = await startConsole()
  secrets = await createSecrets()
})
afterAll(() => system?.stop())

/** A secret of each kind that the console creates. */
async function createSecrets() {
  const { key } = await json<CreatedApiKey>("key", "create", "--name", "leaked", "--scope", "read")
  const { signing_secret: signing } = await json<CreatedChannel>(
    ..."channel create --id acme --address https://acme.example/".split(" "),
  )
  const { trigger_url } = await json<ConnectionTriggerUrl>(
    ..."connection create --id bakery --site bakery.example --source https://partner.example/".split(" "),
  )
  const [, link = ""] = (await json<SignInLink>("sign-in")).url.split("#link=")
  const [token = ""] = /swt_[^/]+/.exec(trigger_url) ?? []
  return [
    { kind: "an API key", secret: key },
    { kind: "a signing secret", secret: signing },
    { kind: "a signing secret", secret: standardWebhooksSecret(signing) },
    { kind: "a trigger URL or its token", secret: token },
    { kind: "a trigger URL or its token", secret: trigger_url },
    { kind: "a sign-in link", secret: link },
    { kind: "a session", secret: await signIn(key) },
  ]
}

async function signIn(key: string): Promise<string> {
  const response = await fetch(`${system.cliEnv.SITEWIRE_API}/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ key }),
  })
  const [, token = ""] = /sitewire_session=([^;]+)/.exec(response.headers.get("set-cookie") ?? "") ?? []
  return token
}

const json = <T>(...args: string[]) => runJson<T>(args, { env: system.cliEnv })

/** The part of a secret that nobody could guess. */
const randomPart = (secret: string) => secret.match(/[\w+-]{40,}/)?.[0].slice(-30) ?? ""

test("no error quotes a secret of any kind that the console creates", async () => {
  for (const { secret } of secrets) {
    const uses = [
      ["profile", "add", "production", secret],
      ["profile", "add", secret, "--api", "http://127.0.0.1:1"],
      ["channel", secret],
      ["channel", "list", `--${secret}`],
      ["delivery", "list", "--limit", secret],
      ["channel", "list", "--profile", secret, "--json"],
      ["channel", "show", secret],
    ]
    for (const args of uses) {
      const { code, stdout, stderr } = await runCommand(args, { env: system.cliEnv })
      expect(code, args.join(" ")).toBe(2)
      expect(randomPart(secret)).toHaveLength(30)
      expect(stdout + stderr).not.toContain(randomPart(secret))
    }
  }
})

test("a secret in place of an id is refused before any request", async () => {
  const api = await startReceiver()
  onTestFinished(() => api.close())
  const env = { SITEWIRE_API: api.url, SITEWIRE_API_KEY: "swk_k" }
  for (const { kind, secret } of secrets) {
    const uses = [
      ["key", "revoke", secret],
      ["key", "revoke", secret, "--yes"],
      ["connection", "replace-token", secret, "--yes"],
      ["trigger", secret],
      ["sync", "list", secret],
      ["audit", "list", "--key", secret],
      ["channel", "secret", "activate", "acme", "--secret-id", secret, "--yes"],
    ]
    for (const args of uses) {
      const { code, stderr } = await runCommand(args, { env })
      expect(code, args.join(" ")).toBe(2)
      expect(stderr).toContain(`contain ${kind}`)
    }
  }
  expect(api.received).toEqual([])
})

test("who gives a leaked key instead of its id reads how to find the id", async () => {
  const [leaked] = secrets
  const { stderr } = await runCommand(["key", "revoke", leaked?.secret ?? "", "--yes"], {
    env: system.cliEnv,
  })
  expect(stderr).toContain("sitewire key list")
})
