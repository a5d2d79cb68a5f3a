import type { ApiKey, Channel, Page } from "@sitewire/contracts"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { startReceiver } from "../src/receivers/index.ts"
import { runCommand, runJson } from "./fixtures/runCommand.ts"
import { startConsole } from "./fixtures/startConsole.ts"

let system: Awaited<ReturnType<typeof startConsole>>
beforeAll(async () => {
  system = await startConsole()
})
afterAll(() => system?.stop())

/** Forwards requests to the console, and loses its response to the first POST. */
async function startLosingProxy(): Promise<Record<string, string>> {
  let lost = false
  const proxy = await startReceiver(async ({ method, path, headers, body }, response) => {
    const { authorization = "", "idempotency-key": key } = headers
    const forwarded = await fetch(`${system.cliEnv.SITEWIRE_API}${path}`, {
      method,
      headers: {
        authorization,
        "content-type": "application/json",
        ...(typeof key === "string" && { "idempotency-key": key }),
      },
      body: body.length === 0 ? null : new Uint8Array(body),
    })
    const text = await forwarded.text()
    if (method === "POST" && !lost) {
      lost = true
      response.destroy()
    } else response.writeHead(forwarded.status).end(text)
  })
  onTestFinished(() => proxy.close())
  return { ...system.cliEnv, SITEWIRE_API: proxy.url }
}

const json = <T>(args: string[]) => runJson<T>(args, { env: system.cliEnv })

test("if a response with a secret is lost, the command takes effect once, and says how to get another secret", async () => {
  const lose = async (args: string[]) => {
    const { code, stdout, stderr } = await runCommand(args, { env: await startLosingProxy() })
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain("Secret shown once (409)")
    return stderr
  }
  const lost = await lose(["key", "create", "--name", "dashboards", "--scope", "read"])
  const { data } = await json<Page<ApiKey>>(["key", "list"])
  const [key, ...more] = data.filter(({ name }) => name === "dashboards")
  expect(more).toEqual([])
  expect(lost).toContain(`\`sitewire key revoke ${key?.id}\` revokes this key`)

  await lose(["channel", "create", "--id", "acme", "--address", "https://acme.example/"])
  await lose(["channel", "secret", "stage", "acme"])
  expect((await json<Channel>(["channel", "show", "acme"])).other_secret?.state).toBe("staged")
})
