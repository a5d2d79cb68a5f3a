import { expect, test } from "vitest"
import { runAxe, settle } from "../screenshots/browser.ts"
import { confirmDialog } from "./fixtures/dialogs.ts"
import { poll } from "./fixtures/poll.ts"
import { pagesOfThisFile } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()

test("the list resends the dead of one channel, the dialog repeats the filter and warns, and the job shows what became of them", async () => {
  const ids = await pages.sql<{ id: string }>(
    "select id from delivery where channel_id = 'globex' and state = 'dead' order by id",
  )
  expect(ids.length).toBeGreaterThan(3)
  await using opened = await pages.open("operate")
  const { page } = opened
  const week = new Date(Date.now() - 7 * 86_400_000).toISOString()
  await opened.go(`/deliveries?channel=globex&state=dead&created_after=${week}`)
  await page.getByRole("button", { name: "Resend these" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByText("Channel globex is still failing").waitFor()
  await dialog.getByText("HTTP 503").waitFor()
  await dialog.getByText(`${ids.length} deliveries will be sent again`).waitFor()
  const facts = await dialog.locator("dd").allTextContents()
  expect(facts.slice(0, 2)).toEqual(["globex", "Dead"])
  const after = await dialog.locator("dd time").first().getAttribute("datetime")
  expect(after).toBe(new URL(page.url()).searchParams.get("created_after"))
  expect(facts[3]).toBe("now")
  expect(await runAxe(page)).toEqual([])
  await page.getByLabel("Reason").fill("INC-7")
  await confirmDialog(page, `Resend ${ids.length}`)

  const outcome = page.getByRole("region", { name: "What became of its deliveries" })
  const figure = (name: string) =>
    outcome.locator("dl > div", { hasText: name }).locator("dd").first().textContent()
  await poll(() => figure("Pending")).toBe(String(ids.length))
  const finish = (state: string, some: { id: string }[]) =>
    pages.sql(
      `with ended as (delete from waiting_delivery where delivery_id = any($2::uuid[]))
       update delivery set state = $1::delivery_state where id = any($2::uuid[])`,
      [state, some.map(({ id }) => id)],
    )
  await finish("dead", ids.slice(0, 2))
  await finish("delivered", ids.slice(2))
  await poll(() => figure("Dead again")).toBe("2")
  expect(await figure("Delivered")).toBe(String(ids.length - 2))
  expect(await figure("Pending")).toBe("0")
  await settle(page)
  expect(await runAxe(page)).toEqual([])

  await outcome.getByRole("link", { name: "Show them: dead again" }).click()
  await poll(() => page.locator('main a[href^="/deliveries/"]').count()).toBe(2)
  expect(await page.getByLabel("Job").inputValue()).toMatch(/^job_/)
  expect(await page.getByRole("button", { name: "Resend these" }).count()).toBe(0)
  await settle(page)
  expect(await runAxe(page)).toEqual([])
})
