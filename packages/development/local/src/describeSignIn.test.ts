import { createClient } from "@sitewire/cli"
import { createApiKey } from "@sitewire/console"
import { openPrisma } from "@sitewire/database/prisma"
import { startTestInstallation } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { describeSignIn } from "./describeSignIn.ts"

test("a terminal shows a link that signs in, and a file gets none", async () => {
  const it = await startTestInstallation()
  onTestFinished(async () => void (await it.stop("SIGTERM")))
  const api = (await it.start("console", { LOG_LEVEL: "trace" })).addresses.console ?? ""
  const { key } = await createApiKey({ prisma: openPrisma(it.pool), name: "local", scopes: ["operate"] })
  const client = createClient({ api, key })

  expect(await describeSignIn(client, { isTerminal: false })).not.toContain("http")
  const wrong = createClient({ api, key: `swk_${"A".repeat(43)}` })
  expect(await describeSignIn(wrong, { isTerminal: true })).not.toContain("http")
  const text = await describeSignIn(client, { isTerminal: true })
  const [, link] = new RegExp(`${api}/sign-in#link=(swl_[\\w-]{43})\\n`).exec(text) ?? []
  const response = await fetch(`${api}/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ link }),
  })
  expect(response.status).toBe(200)
})
