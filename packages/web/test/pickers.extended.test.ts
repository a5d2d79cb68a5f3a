import type { Locator } from "playwright-core"
import { expect, test } from "vitest"
import { runAxe, settle } from "./fixtures/browser.ts"
import { poll } from "./fixtures/poll.ts"
import { pagesOfThisFile } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()

const field = (within: Locator, name: string) => within.getByRole("combobox", { name, exact: name === "Id" })

test("each field for a channel suggests channels by a part of the id, and takes the chosen one", async () => {
  await using opened = await pages.open("operate,admin")
  const { page } = opened
  /** `filter`: the parameter of the URL that gets what is typed. */
  const choose = async (input: Locator, filter: string | null) => {
    await input.fill("glob")
    await poll(() => page.getByRole("option").allTextContents()).toEqual(["globex"])
    // While the list is read for what was typed, the one before is shown pale.
    if (filter !== null) await poll(() => new URL(page.url()).searchParams.get(filter)).toBe("glob")
    await page.locator("[data-dimmed=true]").waitFor({ state: "detached" })
    expect(await runAxe(page)).toEqual([])
    await page.getByRole("option", { name: "globex" }).click()
    expect(await input.inputValue()).toBe("globex")
  }
  await opened.go("/deliveries")
  await choose(field(page.getByRole("main"), "Channel"), "channel")
  await poll(() => new URL(page.url()).searchParams.get("channel")).toBe("globex")

  await opened.go("/audit?target_kind=channel")
  await choose(field(page.getByRole("main"), "Id"), "target")
  await poll(() => new URL(page.url()).searchParams.get("target")).toBe("globex")

  await opened.go("/keys")
  await page.getByRole("button", { name: "Create key" }).click()
  await choose(field(page.getByRole("dialog"), "Channel"), null)
})

test("a field for a channel suggests nothing to whoever may not list channels", async () => {
  await using opened = await pages.open("admin")
  const { page } = opened
  const asked: string[] = []
  page.on("request", (request) => void asked.push(new URL(request.url()).pathname))
  await opened.go("/audit?target_kind=channel")
  await field(page.getByRole("main"), "Id").fill("initech")
  await poll(() => new URL(page.url()).searchParams.get("target")).toBe("initech")
  await settle(page)
  expect(asked).not.toContain("/v1/channels")
})
