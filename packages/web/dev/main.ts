import { fileURLToPath } from "node:url"
import { createServer } from "vite"
import { startFilledConsole } from "../screenshots/startFilledConsole.ts"
import { startStandIn } from "./standIn.ts"

/** Vite's server on a console with realistic data, for work on the page. It needs DATABASE_URL and KAFKA_BROKERS. */
const filled = await startFilledConsole()
const vite = await createServer({
  root: fileURLToPath(new URL("..", import.meta.url)),
  server: { middlewareMode: true, hmr: { port: 8_091 } },
  appType: "spa",
})
const standIn = await startStandIn({
  api: filled.origin,
  pages: (request, response) => vite.middlewares(request, response),
  port: 8_090,
})
for (const [name, scopes] of [
  ["operator", "operate"],
  ["reader", "read"],
  ["partner", "channel:acme"],
  ["site owner", "site:bakery.example"],
] as const) {
  const link = standIn.createLink(await filled.createKey(name, scopes))
  process.stdout.write(`${name}: ${standIn.origin}/sign-in#link=${link}\n`)
}
process.once("SIGINT", async () => {
  await standIn.close()
  await vite.close()
  await filled.stop()
  process.exit(0)
})
