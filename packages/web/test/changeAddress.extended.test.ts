import { beforeAll, expect, test } from "vitest"
import { settle } from "./fixtures/browser.ts"
import { confirmDialog, openDialog, press } from "./fixtures/dialogs.ts"
import { pagesOfThisFile } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()

beforeAll(async () => {
  // A dispatcher whose receivers return the challenge, except at addresses with "wrong".
  await pages.sql?.(`
    create function answer() returns trigger language plpgsql as $$ begin
      new.state = 'done'; new.finished_at = now();
      new.report = case when new.address like '%wrong%' then '{"status": 204, "error": "not-returned"}'::jsonb
                        else '{"status": 204, "error": null}' end;
      return new;
    end $$`)
  await pages.sql?.(
    "create trigger answer before insert on receiver_check for each row execute function answer()",
  )
})

test.each([
  [360, "umbrella"],
  [1_440, "northwind"],
])("at %i px, a partner changes its address if an operator has allowed it", async (width, id) => {
  const view = { width, height: 900, scheme: "light" } as const
  const path = `/channels/${id}?tab=settings`
  await using partner = await pages.open(`channel:${id}`, view)
  const { page } = partner
  await partner.go(path)
  await page.getByText("Notification address").waitFor()
  expect(await page.getByRole("button", { name: "Change address" }).count()).toBe(0)

  await using operator = await pages.open("operate", view)
  await operator.go(path)
  await operator.page.getByLabel("The partner may change the address").check()
  await operator.page.getByRole("button", { name: "Save" }).click()
  await operator.page.getByText("The channel is changed").waitFor()

  await partner.go(path)
  await openDialog(page, "Change address")
  const address = page.getByRole("dialog").getByLabel("Notification address")
  await address.fill(`https://wrong.${id}.example/`)
  await press(page, "Change address")
  await page.getByRole("alert").getByText("did not return the value of the header").waitFor()
  await address.fill(`https://new.${id}.example/hook`)
  await confirmDialog(page, "Change address")
  await page.getByText("Deliveries go to the new address from now on").waitFor()
  await page.getByText(`https://new.${id}.example/hook`).waitFor()
  await settle(page)
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(overflow).toBeLessThanOrEqual(0)
  expect(await pages.sql("select address from channel where id = $1", [id])).toEqual([
    { address: `https://new.${id}.example/hook` },
  ])
  // What the partner changes next is no conflict.
  await page.getByLabel("Standard Webhooks headers").uncheck()
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("The channel is changed").waitFor()
})
