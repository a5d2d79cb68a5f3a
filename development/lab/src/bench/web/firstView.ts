import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { openBrowser } from "@sitewire/web/browser"
import { fill } from "@sitewire/web/data"
import type { Browser, BrowserContextOptions } from "playwright-core"
import { build } from "vite"
import { percentile } from "../../shared/percentile.ts"
import { atMost, type Measure } from "../measure.ts"
import type { Bench } from "../startBench.ts"

const rounds = 15
/** The browser and the console are idle for so long before each view. */
const quietMs = 1_500
const text = "Deliveries to the channel globex fail."

/** `files` and `kB`: of the page's own files, without its HTML and the responses of the API. */
type View = { shownAtMs: number; cpuMs: number; files: number; kB: number }

/**
 * Measures the first view of the overview by an operator who is signed in, with an empty cache, until all incidents are shown. The
 * result is the median.
 */
export async function measureFirstView(it: Bench): Promise<Measure[]> {
  await build({ root: join(it.checkout.root, "packages/web"), logLevel: "warn" })
  await fill(it, 24)
  const web = await it.start("console", { API_REQUESTS_PER_MINUTE: "1000000" })
  const origin = web.addresses.console ?? ""
  const storageState = await signIn(origin, await it.apiKey("operate"))
  const views: View[] = []
  const browser = await openBrowser()
  try {
    // The first view is slower: processes start, and the console's code is compiled.
    await view(browser, `${origin}/`, storageState)
    while (views.length < rounds) {
      const of = await view(browser, `${origin}/`, storageState)
      views.push(of)
      it.progress(`view ${views.length} of ${rounds}: ${describeView(of)}`)
    }
  } finally {
    await browser.close()
  }
  const median = (of: keyof View) =>
    percentile(
      views.map((each) => each[of]),
      0.5,
    )
  const [shownAtMs, cpuMs, files, kB] = [median("shownAtMs"), median("cpuMs"), median("files"), median("kB")]
  const details = `medians: ${describeView({ shownAtMs, cpuMs, files, kB })}`
  it.progress(details)
  return [
    { ...atMost("ms until the overview shows all incidents, empty cache", shownAtMs, 1_000, "ms"), details },
  ]
}

async function view(
  browser: Browser,
  url: string,
  storageState: NonNullable<BrowserContextOptions["storageState"]>,
): Promise<View> {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 }, storageState })
  try {
    const page = await context.newPage()
    await page.addInitScript(noteWhenShown, text)
    const client = await context.newCDPSession(page)
    await client.send("Performance.enable")
    await sleep(quietMs)
    await page.goto(url, { waitUntil: "commit" })
    const shown = await page.waitForFunction(() => (window as { shownAt?: number }).shownAt, undefined, {
      polling: 100,
    })
    const { metrics } = await client.send("Performance.getMetrics")
    const sizes = await page.evaluate(() =>
      (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
        .filter((of) => new URL(of.name).pathname.startsWith("/assets/"))
        .map((of) => of.transferSize),
    )
    return {
      shownAtMs: (await shown.jsonValue()) ?? Number.NaN,
      cpuMs: 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN),
      files: sizes.length,
      kB: sizes.reduce((sum, size) => sum + size, 0) / 1_000,
    }
  } finally {
    await context.close()
  }
}

function describeView({ shownAtMs, cpuMs, files, kB }: View): string {
  const size = `${files} files of its own with ${kB.toFixed(0)} kB`
  return `after ${shownAtMs.toFixed(0)} ms, ${cpuMs.toFixed(0)} ms of the page's main thread, ${size}`
}

async function signIn(origin: string, key: string) {
  const response = await fetch(`${origin}/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin },
    body: JSON.stringify({ key }),
  })
  const [name = "", value = ""] = (response.headers.get("set-cookie") ?? "").split(";")[0]?.split("=") ?? []
  if (!response.ok || value === "") throw new Error(`no session: ${response.status} ${await response.text()}`)
  const cookie = { name, value, domain: "127.0.0.1", path: "/", expires: -1, secure: false }
  return { cookies: [{ ...cookie, httpOnly: true, sameSite: "Strict" as const }], origins: [] }
}

/**
 * Runs in the page: notes, in milliseconds since the navigation began, when the text was shown and no incidents were
 * loading.
 */
function noteWhenShown(text: string) {
  const unfinished = "section[aria-label='Current incidents'] [role=status]"
  new MutationObserver((_, observer) => {
    if (!document.body?.textContent?.includes(text) || document.querySelector(unfinished)) return
    observer.disconnect()
    // After the frame that shows it.
    requestAnimationFrame(() =>
      setTimeout(() => {
        ;(window as { shownAt?: number }).shownAt = performance.now()
      }),
    )
  }).observe(document, { childList: true, subtree: true, characterData: true })
}
