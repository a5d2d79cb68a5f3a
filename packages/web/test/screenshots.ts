import { copyFile, mkdir } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { readArguments } from "@sitewire/runtime"
import type { Page } from "playwright-core"
import { setup } from "../../../development/testkit/src/globalSetup.ts"
import { openBrowser, openPage, settle, type View, visit } from "./fixtures/browser.ts"
import { findCutOff } from "./fixtures/findCutOff.ts"
import { servePages } from "./fixtures/servePages.ts"
import { operatorViews, ownerViews, partnerViews, type Shown } from "./fixtures/views.ts"

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

const sizes: Record<string, readonly [number, number]> = {
  wide: [1_440, 900],
  ...(!values.quick && { narrow: [390, 844] }),
}

const stopServers = await setup()
const pages = await servePages({ empty: values.empty })
const browser = await openBrowser()
try {
  const isCounted = () =>
    pages.sql("select from statistics_position where counted_through > now() - interval '3 minutes'")
  while ((await isCounted()).length === 0) await sleep(250)
  // Triggers count as accepted when they are recorded, and those of the last day never were.
  await pages.sql("update statistic set accepted_triggers = covered_triggers where channel_id = ''")
  const users: [views: Shown[], key: string | null][] = [
    [[{ name: "sign-in", path: "/deliveries" }], null],
    [await operatorViews(pages.sql), await pages.createKey("operations", "operate,personal-data,admin")],
    [partnerViews, await pages.createKey("acme's developers", "channel:acme")],
    [ownerViews, await pages.createKey("صاحب المخبز", "site:bakery.example")],
  ]
  for (const scheme of ["light", "dark"] as const)
    for (const [size, [width, height]] of Object.entries(sizes))
      for (const [views, key] of users) await photograph(views, key, { width, height, scheme }, size)
} finally {
  await browser.close()
  await pages.close()
  await stopServers()
}
process.exit()

async function photograph(views: Shown[], key: string | null, view: View, size: string): Promise<void> {
  const link = key && (await pages.createLink(key))
  const { page, complaints, close } = await openPage(browser, link, view)
  for (const { name, path, prepare } of views) {
    if (!new RegExp(values.only).test(name) || (values.empty && !listed.test(name))) continue
    try {
      await visit(page, `${pages.origin}${path}`)
      await settle(page)
      await prepare?.(page)
      await settle(page)
      const file = `${folder}${name}-${size}-${view.scheme}.png`
      const isDialog = (await page.getByRole("dialog").count()) > 0
      if (!isDialog && !name.includes("deliveries")) await showAll(page)
      await page.screenshot({ path: file })
      await page.setViewportSize(view)
      complaints.push(...(await findCutOff(page)))
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
