import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { settle } from "./fixtures/browser.ts"
import { insertDelivery } from "./fixtures/insertDelivery.ts"
import { poll } from "./fixtures/poll.ts"
import { pagesOfThisFile } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()

/** Longer than the interval at which the page reads what the stream has reported. */
const slowMs = 3_000

/** Calls `work` while deliveries to umbrella arrive continually, and responses to `url` are slow. */
async function whileDelivering(page: Page, url: string, work: () => Promise<void>): Promise<void> {
  await page.route(url, async (route) => {
    const response = await route.fetch()
    setTimeout(() => void route.fulfill({ response }).catch(() => {}), slowMs)
  })
  const inserting = setInterval(() => void insertDelivery(pages, "pending"), 400)
  try {
    await work()
  } finally {
    clearInterval(inserting)
  }
}

test("the counts of a channel go on while deliveries arrive continually and its health takes seconds, and the channel is not read again", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  const read: string[] = []
  page.on("request", (request) => void read.push(new URL(request.url()).pathname))
  await opened.go("/channels/umbrella?tab=health")
  await settle(page)
  const waiting = page.locator("dl > div", { hasText: "Waiting for a retry" }).locator("dd").first()
  const before = await waiting.textContent()
  await whileDelivering(page, "**/v1/channels/umbrella/health", async () => {
    await poll(() => waiting.textContent()).not.toBe(before)
  })
  expect(read.filter((path) => path === "/v1/channels/umbrella")).toHaveLength(1)
})

test("a list shows new deliveries while they arrive continually and each search takes seconds", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await insertDelivery(pages, "pending")
  await opened.go("/deliveries?channel=umbrella")
  const newest = page.getByRole("main").getByRole("link", { name: /^evt_/ }).first()
  const before = await newest.textContent()
  await whileDelivering(page, "**/v1/deliveries?*", async () => {
    await poll(() => newest.textContent()).not.toBe(before)
  })
})
