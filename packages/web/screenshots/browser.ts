import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { findChromium } from "@sitewire/testkit/installation"
import { type Browser, chromium, type Page, type Request } from "playwright-core"

export function openBrowser(): Promise<Browser> {
  const args = ["--no-sandbox", "--disable-gpu"]
  return chromium.launch({ executablePath: findChromium(process.env), args })
}

/** Only ends what hangs: the machine may be busy. */
const loadWithinMs = 90_000

export type View = { width: number; height: number; scheme: "light" | "dark" }

/** A page that is signed in by the link, if there is one. `complaints` gets every error, and every violation of the page's policy. */
export async function openPage(browser: Browser, link: string | null, view: View) {
  const context = await browser.newContext({
    viewport: { width: view.width, height: view.height },
    colorScheme: view.scheme,
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
  })
  context.setDefaultTimeout(loadWithinMs)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on("pageerror", (error) => complaints.push(String(error)))
  page.on("console", (message) => {
    // Chromium reports each response of 4xx, which pages expect.
    if (message.type() === "error" && !/^Failed to load resource/.test(message.text()))
      complaints.push(message.text())
  })
  let changes = 0
  page.on("requestfailed", (request) => {
    if (failedByNetworkChange(request)) changes++
  })
  if (link !== null) {
    await signIn(page, link)
  }
  return {
    page,
    complaints,
    /** The number of requests that failed because the machine's networks changed. */
    networkChanges: () => changes,
    close: () => context.close(),
  }
}

/** Also waits until the page has left the sign-in by itself, which would abort a navigation of the caller. */
export async function signIn(page: Page, link: string): Promise<void> {
  await visit(page, link)
  await page.getByRole("button", { name: /^Sign in as / }).click()
  await page.waitForURL(({ pathname }) => pathname !== "/sign-in")
  await page.waitForSelector("nav", { state: "attached" })
}

/** Chromium fails all running requests when the machine's networks change, as when a container starts. */
const failedByNetworkChange = (request: Request) =>
  request.failure()?.errorText === "net::ERR_NETWORK_CHANGED"

/**
 * Opens the URL, and opens it again if the machine's networks changed meanwhile. A page that does not load gets an error that names what is missing.
 */
export async function visit(page: Page, url: string): Promise<void> {
  let changes = 0
  const loading = new Set<Request>()
  const failed = (request: Request) => {
    loading.delete(request)
    if (failedByNetworkChange(request)) changes++
  }
  const finished = (request: Request) => loading.delete(request)
  const started = (request: Request) => loading.add(request)
  page.on("request", started).on("requestfinished", finished).on("requestfailed", failed)
  try {
    for (let tries = 1; ; tries++) {
      const before = changes
      try {
        await page.goto(url)
        if (changes === before) return
      } catch (error) {
        const missing = [...loading].map((request) => request.url())
        // Also after an earlier change: Chromium loads a page that failed again by itself, and then ends this navigation.
        if (tries === 10 || changes === 0)
          throw new Error(`${url} was not loaded: ${error} Without a response: ${missing}`)
      }
    }
  } finally {
    page.off("request", started).off("requestfinished", finished).off("requestfailed", failed)
  }
}

/**
 * Waits until the page has read everything that it shows, no color changes any more, and each style sheet is read that it
 * has begun to load: axe would fetch an unreadable sheet and insert its text, which the page's policy reports.
 */
export async function settle(page: Page): Promise<void> {
  await page.waitForLoadState("domcontentloaded")
  await page.waitForFunction(() => {
    const readable = ({ sheet }: HTMLLinkElement) => {
      try {
        return Boolean(sheet?.cssRules)
      } catch {
        return false
      }
    }
    return (
      document.querySelector("main h1, main strong") !== null &&
      !document.querySelector("[role=status][aria-label]") &&
      [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")].every(readable)
    )
  })
  await page.evaluate(async () => {
    // Two frames: observers of sizes have then been called, and transitions have begun.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getTiming().iterations !== Infinity)
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })
}

const require = createRequire(import.meta.url)

const wcag22AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

/** What axe finds on the page: by these rules, or by all of WCAG 2.2 AA. */
export async function runAxe(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(await readFile(require.resolve("axe-core/axe.min.js"), "utf8"))
  const runOnly = rules ? { type: "rule", values: [...rules] } : { type: "tag", values: wcag22AA }
  return page.evaluate(async (runOnly) => {
    // @ts-expect-error the script has defined it
    const { violations } = await window.axe.run(document, { runOnly })
    return violations.flatMap(
      ({ id, nodes }: { id: string; nodes: { html: string; failureSummary?: string }[] }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ""}`),
    )
  }, runOnly)
}
