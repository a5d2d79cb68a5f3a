import { readFile } from "node:fs/promises"
import { expect, test } from "vitest"
import { runAxe, settle } from "./fixtures/browser.ts"
import { poll } from "./fixtures/poll.ts"
import { pagesOfThisFile } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()

test("a job's page begins with its verdict, and names what it has done", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/jobs/job_e7b9")
  await page.getByText("Nothing is lost: all records are accounted for").waitFor()
  expect(await page.locator("main strong").first().textContent()).toContain("Nothing is lost")
  await page.getByRole("region", { name: "What it has done: events" }).getByText("48,210").first().waitFor()
  await page.getByRole("region", { name: "What it has done: triggers" }).getByText("9,114").first().waitFor()
  await settle(page)
  expect(await runAxe(page)).toEqual([])
  await pages.sql("update job set counts = counts || '{\"exceptions\": 3}' where id = 'job_e7b9'")
  await opened.go("/jobs/job_e7b9")
  await page.getByText("Records that are not accounted for: 3").waitFor()
  expect(await page.getByText("Nothing is lost").count()).toBe(0)
})

test("a reconciliation that found events that are not delivered says so, and lists them", async () => {
  const differing = {
    ...{ topic: "site.paid", partition: 2, offset: "1024" },
    ...{ event_id: "order-10042", published_at: "2026-03-01T12:00:00.000Z" },
  }
  await pages.sql(
    `update job set counts = counts || '{"exceptions": 0, "events_differing": 1}',
            position = (position::jsonb || $1::jsonb)::text where id = 'job_e7b9'`,
    [JSON.stringify({ differing: [differing] })],
  )
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/jobs/job_e7b9")
  await page.getByText("Events not delivered, because another event had their id: 1").waitFor()
  expect(await page.getByText("Nothing is lost").count()).toBe(0)
  const row = page.getByRole("table", { name: "Events that are not delivered" }).getByRole("row").last()
  await row.getByText("site.paid 2/1024").waitFor()
  await row.getByText("order-10042").waitFor()
  await settle(page)
  expect(await runAxe(page)).toEqual([])
})

test("the proof of an erasure is a file without the address, and no other job has one", async () => {
  const email = "someone@shop.example"
  await using opened = await pages.open("operate,personal-data")
  const { page } = opened
  await opened.go("/jobs")
  await page.getByRole("button", { name: "Erase data" }).click()
  await page.getByLabel("E-mail address").fill(email)
  await page.getByLabel("Reason").fill("request 31")
  await page.getByRole("dialog").getByRole("button", { name: "Erase", exact: true }).click()
  await page.getByRole("heading", { name: "Erasure job" }).waitFor()
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? ""
  const skip = "update job set position = (position::jsonb - 'nextStepAt')::text where id = $1"
  await poll(async () => {
    await pages.sql(skip, [id])
    return pages.sql("select state from job where id = $1", [id])
  }).toEqual([{ state: "done" }])
  await page.getByText("The data is erased. Deliveries erased: 0").waitFor()
  const link = page.getByRole("link", { name: "Download the proof" })
  const [file] = await Promise.all([page.waitForEvent("download"), link.click()])
  expect(file.suggestedFilename()).toBe(`erasure-${id}.json`)
  const text = await readFile(await file.path(), "utf8")
  expect(text).not.toContain(email)
  expect(JSON.parse(text)).toMatchObject({
    id,
    kind: "erasure",
    state: "done",
    reason: "request 31",
    requested_by: expect.stringContaining("key for"),
    finished_at: expect.any(String),
    filter: { email_digest: expect.stringMatching(/^[0-9a-f]{24}$/) },
    counts: { deliveries_erased: 0, excerpts_erased: 0 },
    remains: [{ topic: expect.any(String) }, { topic: expect.any(String) }],
  })
  await settle(page)
  expect(await runAxe(page)).toEqual([])
  await opened.go("/jobs/job_3f1c")
  await page.getByRole("heading", { name: "Resend job" }).waitFor()
  expect(await link.count()).toBe(0)
})
