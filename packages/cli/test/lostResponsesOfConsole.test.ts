import type { ApiKey, Channel, CreatedApiKey, Page, StagedSecret } from "@sitewire/contracts"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { startReceiver } from "../src/receivers/index.ts"
import { runCommand } from "./fixtures/runCommand.ts"
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

async function json<T>(args: string[], env: Record<string, string> = system.cliEnv): Promise<T> {
  const { code, stdout, stderr } = await runCommand([...args, "--json"], { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return JSON.parse(stdout)
}

test("if the console's response is lost, the command takes effect once and prints the secret", async () => {
  const create = ["key", "create", "--name", "dashboards", "--scope", "read"]
  const { id, key } = await json<CreatedApiKey>(create, await startLosingProxy())
  const { data } = await json<Page<ApiKey>>(["key", "list"])
  expect(data.filter(({ name }) => name === "dashboards")).toHaveLength(1)
  expect(await json<ApiKey>(["key", "show"], { ...system.cliEnv, SITEWIRE_API_KEY: key })).toMatchObject({
    id,
  })

  await json(
    ["channel", "create", "--id", "acme", "--address", "https://acme.example/"],
    await startLosingProxy(),
  )
  const staged = await json<StagedSecret>(["channel", "secret", "stage", "acme"], await startLosingProxy())
  expect(staged.staged_secret).toMatch(/^sws_/)
  expect((await json<Channel>(["channel", "show", "acme"])).other_secret?.id).toBe(staged.other_secret?.id)
})
