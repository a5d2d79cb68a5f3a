import { copyFile, mkdir } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { readArguments } from "@sitewire/runtime"
import type { Page } from "playwright-core"
import { build } from "vite"
import { openBrowser, openPage, settle, type View, visit } from "./browser.ts"
import { startFilledConsole } from "./startFilledConsole.ts"
import { operatorViews, ownerViews, partnerViews } from "./views.ts"

const usage = `npm run screenshots -- [options]
Renders every page of the web console, in light and dark, narrow and wide, into .sitewire/screenshots.
  --only PATTERN   only pages whose name matches this regular expression
  --quick          wide pages only
  --empty          an installation without any data
  --docs           also replace the pictures of the README and the documents`
const { values } = readArguments(
  {
    only: { type: "string", default: "" },
    quick: { type: "boolean", default: false },
    empty: { type: "boolean", default: false },
    docs: { type: "boolean", default: false },
  },
  usage,
  { allowPositionals: false },
)
const folder = fileURLToPath(new URL("../../../.sitewire/screenshots/", import.meta.url))
await mkdir(folder, { recursive: true })

/** Pictures in the README and the documents, always wide. */
const documented = ["overview", "delivery-failing", "channel-rotation", "owner-connection"]
const images = fileURLToPath(new URL("../../../docs/images/", import.meta.url))
/** Pages that do not need any data. */
const listed = /^(overview|deliveries|channels|connections|invalid-events|jobs|keys|audit)$/

const schemes = ["light", "dark"] as const
const sizes = values.quick
  ? { wide: [1_440, 900] as const }
  : { wide: [1_440, 900] as const, narrow: [390, 844] as const }

await build({ root: fileURLToPath(new URL("..", import.meta.url)), logLevel: "warn" })
const filled = await startFilledConsole({ empty: values.empty })
const browser = await openBrowser()
try {
  const idOf = async (condition: string) => {
    const [row] = await filled.sql<{ id: string }>(
      `select id from delivery where ${condition} order by id desc limit 1`,
    )
    return row?.id ?? ""
  }
  await counted()
  // Triggers count as accepted when they are recorded, and those of the last day never were.
  await filled.sql("update statistic set accepted_triggers = covered_triggers where channel_id = ''")
  const failing = await idOf(
    `channel_id = 'globex' and state = 'pending' and id in (
       select delivery_id from waiting_delivery where attempts > 2 and next_attempt_at is not null)`,
  )
  const delivered = await idOf("channel_id = 'acme' and state = 'delivered' and attempts = 1")
  const users = [
    {
      views: operatorViews({ failing, delivered }),
      key: await filled.createKey("operations", "operate,personal-data,admin"),
    },
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
    if (!new RegExp(values.only).test(name) || (values.empty && !listed.test(name))) continue
    try {
      await visit(page, `${filled.origin}${path}`)
      await settle(page)
      if ("prepare" in more) await more.prepare?.(page)
      await endAnimations(page)
      const file = `${folder}${name}-${size}-${view.scheme}.png`
      const isDialog = (await page.getByRole("dialog").count()) > 0
      if (!isDialog && !name.includes("deliveries")) await showAll(page)
      await page.screenshot({ path: file })
      await page.setViewportSize(view)
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      if (overflow > 0) complaints.push(`the page is ${overflow} px too wide`)
      if (values.docs && size === "wide" && documented.includes(name))
        await copyFile(file, `${images}${name}-${view.scheme}.png`)
    } catch (error) {
      complaints.push(String(error).slice(0, 300))
    }
    process.stdout.write(`${name} ${size} ${view.scheme}\n`)
    for (const complaint of complaints.splice(0)) process.stdout.write(`  ${complaint}\n`)
  }
  await close()
}

/** Makes the window as high as the page, so that nothing that follows the window's height ends in the middle. */
async function showAll(page: Page): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  await page.setViewportSize({ width: page.viewportSize()?.width ?? 0, height })
}

/** Waits for all animations but those that never end. */
async function endAnimations(page: Page): Promise<void> {
  await page.evaluate(() => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getTiming().iterations !== Infinity)
    return Promise.all(ending.map(({ finished }) => finished.catch(() => {})))
  })
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
