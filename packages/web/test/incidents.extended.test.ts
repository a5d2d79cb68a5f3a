import { expect, test } from "vitest"
import { settle } from "../screenshots/browser.ts"
import { confirmDialog } from "./fixtures/dialogs.ts"
import { poll } from "./fixtures/poll.ts"
import { pagesOfThisFile } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()
const title = "Deliveries to the channel globex fail."

test("an acknowledged incident is calm with its note for everybody, and becomes history when it ends", async () => {
  await using operator = await pages.open("operate")
  const { page } = operator
  const incident = page.getByRole("listitem").filter({ hasText: title })
  await operator.go("/")
  await incident.getByRole("button", { name: "Acknowledge", exact: true }).click()
  await page.getByLabel("Note").fill("The partner repairs it until Monday")
  await confirmDialog(page, "Acknowledge")
  await incident.getByText("until it is resolved: The partner repairs it until Monday").waitFor()
  expect(await incident.getAttribute("data-urgency")).toBe("3")

  await using reader = await pages.open("read")
  await reader.go("/")
  const seen = reader.page.getByRole("listitem").filter({ hasText: title })
  await seen.getByText("(key for operate)").waitFor()
  await settle(reader.page)
  for (const name of ["Acknowledge", "Withdraw"])
    expect(await reader.page.getByRole("button", { name, exact: true }).count()).toBe(0)

  await incident.getByRole("button", { name: "Withdraw", exact: true }).click()
  await confirmDialog(page, "Withdraw")
  await poll(() => incident.getAttribute("data-urgency")).toBe("2")

  // It ends.
  await pages.sql(
    `update incident set acknowledged_at = now(), acknowledged_by = 'key_1 (on-call)', note = 'repaired',
            resolved_at = now(), closed_at = now() where subject_id = 'globex' and kind = 'channel.failing' and closed_at is null`,
  )
  await page.getByRole("link", { name: "Resolved incidents" }).click()
  const row = page.getByRole("row").filter({ hasText: "repaired" })
  await row.getByText("Channel was failing").waitFor()
  await row.getByRole("link", { name: "globex" }).waitFor()
  const rows = page.getByRole("table").locator("tbody tr")
  const all = await rows.count()
  await page.getByRole("combobox", { name: "Period" }).click()
  await page.getByRole("option", { name: "Last hour" }).click()
  await poll(() => rows.count()).toBe(1)
  expect(all).toBeGreaterThan(1)
  await operator.go("/resolved-incidents?created_before=2020-01-01T00%3A00%3A00Z")
  await page.getByText("No resolved incidents").waitFor()
})
