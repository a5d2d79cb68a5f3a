import { mkdir } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { openBrowser, openPage, runAxe, settle, type View } from "./browser.ts"
import { startFilledConsole } from "./startFilledConsole.ts"
import { operatorViews, ownerViews, partnerViews } from "./views.ts"

const { values } = parseArgs({
  options: { only: { type: "string" }, axe: { type: "boolean" }, quick: { type: "boolean" } },
})
const folder = fileURLToPath(new URL("../../../.sitewire/screenshots/", import.meta.url))
await mkdir(folder, { recursive: true })

const schemes = ["light", "dark"] as const
const sizes = values.quick
  ? { wide: [1_440, 900] as const }
  : { wide: [1_440, 900] as const, narrow: [390, 844] as const }

const filled = await startFilledConsole()
const browser = await openBrowser()
try {
  const idOf = async (condition: string) => {
    const [row] = await filled.sql<{ id: string }>(
      `select id from delivery where ${condition} order by id desc limit 1`,
    )
    return row?.id ?? ""
  }
  await counted()
  const failing = await idOf(
    "channel_id = 'globex' and state = 'pending' and attempts > 2 and next_attempt_at is not null",
  )
  const delivered = await idOf("channel_id = 'acme' and state = 'delivered' and attempts = 1")
  const users = [
    { views: operatorViews({ failing, delivered }), key: await filled.createKey("operations", "operate") },
    { views: partnerViews, key: await filled.createKey("acme's developers", "channel:acme") },
    { views: ownerViews, key: await filled.createKey("صاحب المخبز", "site:bakery.example") },
  ]
  for (const scheme of schemes)
    for (const [size, [width, height]] of Object.entries(sizes)) {
      await photograph("sign-in", null, { width, height, scheme }, size)
      for (const { views, key } of users) await photograph(views, key, { width, height, scheme }, size)
    }
} finally {
  await browser.close()
  await filled.stop()
}

async function photograph(
  views: "sign-in" | ReturnType<typeof operatorViews>,
  key: string | null,
  view: View,
  size: string,
): Promise<void> {
  const link = key === null ? null : await filled.createLink(key)
  const { page, complaints, close } = await openPage(browser, link, view)
  const shown = views === "sign-in" ? [{ name: "sign-in", path: "/deliveries" }] : views
  for (const { name, path, ...more } of shown) {
    if (values.only && !new RegExp(values.only).test(name)) continue
    try {
      await page.goto(`${filled.origin}${path}`)
      await settle(page)
      if ("prepare" in more) await more.prepare?.(page)
      await page.waitForTimeout(350)
      const file = `${folder}${name}-${size}-${view.scheme}.png`
      const isDialog = (await page.getByRole("dialog").count()) > 0
      await page.screenshot({ path: file, fullPage: !isDialog && !name.startsWith("deliveries") })
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      if (overflow > 0) complaints.push(`the page is ${overflow} px too wide`)
      if (values.axe) complaints.push(...(await runAxe(page)))
    } catch (error) {
      complaints.push(String(error).slice(0, 300))
    }
    process.stdout.write(`${name} ${size} ${view.scheme}\n`)
    for (const complaint of complaints.splice(0)) process.stdout.write(`  ${complaint}\n`)
  }
  await close()
}

/** Waits until the console has counted the last day. */
async function counted(): Promise<void> {
  for (;;) {
    const [position] = await filled.sql<{ done: boolean }>(
      "select counted_through > now() - interval '3 minutes' as done from statistics_position",
    )
    if (position?.done) return
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}
