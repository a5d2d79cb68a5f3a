import { waitUntil } from "@sitewire/testkit"
import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { settle } from "./fixtures/browser.ts"
import { act, openDialog, press } from "./fixtures/dialogs.ts"
import { pagesOfThisFile } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()

const current = (page: Page, step: string) =>
  page.locator("li[aria-current=step]").filter({ hasText: step }).waitFor()

/** Ends the channel's test as a dispatcher does. */
async function tested(channel: string, status: 204 | 401): Promise<void> {
  const error = status === 204 ? null : "status"
  const [row] = await waitUntil("the test", async () => {
    const rows = await pages.sql<{ id: string; secret: string }>(
      `select receiver_check.id, other_secret_id as secret from receiver_check join channel on channel.id = channel_id
        where channel_id = $1 and finished_at is null`,
      [channel],
    )
    return rows.length > 0 ? rows : null
  })
  const phases = { lookup_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null }
  const attempt = {
    ...{ number: 1, started_at: new Date().toISOString(), duration_ms: 12, ...phases, status, error },
    ...{ detail: null, ip: null, url: null, request_headers: null, secret_id: row?.secret },
    response_excerpt: null,
  }
  const report = { delivery: "0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b", attempt }
  await pages.sql(
    `update channel set other_secret_test = jsonb_build_object('at', now(), 'address', address,
       'secret_id', other_secret_id, 'status', $2::int, 'error', $3::text) where id = $1`,
    [channel, status, error],
  )
  await pages.sql(
    "update receiver_check set state = 'done', finished_at = now(), report = $2 where id = $1",
    [row?.id, JSON.stringify(report)],
  )
}

test.each([
  [360, "umbrella"],
  [1_440, "acme"],
])(
  "at %i px, a rotation goes from step to step, and an operator continues what the partner has begun",
  async (width, id) => {
    const path = `/channels/${id}?tab=secrets`
    const view = { width, height: 900, scheme: "light" } as const
    await using partner = await pages.open(`channel:${id}`, view)
    await partner.go(path)
    await current(partner.page, "Create the new secret")
    await act(partner.page, "Create new secret")
    await partner.page.getByText(/^sws_/).waitFor()
    await current(partner.page, "Test the new secret")

    await using operator = await pages.open("operate", view)
    const { page } = operator
    await operator.go(path)
    await current(page, "Test the new secret")
    await Promise.all([act(page, "Test new secret"), tested(id, 401)])
    await page.getByText("The receiver does not accept the secret").waitFor()
    await page.getByText("responded 401").waitFor()
    await current(page, "Test the new secret")

    await openDialog(page, "Activate")
    await page.getByRole("dialog").getByText("all deliveries fail").first().waitFor()
    await press(page, "Activate")
    await page.getByRole("alert").getByText("does not accept the secret").waitFor()
    await press(page, "Cancel")

    // It has been deployed. The partner continues, and sees the result of its own test.
    await partner.go(path)
    await partner.page.getByText("The receiver does not accept the secret").waitFor()
    await Promise.all([act(partner.page, "Test again"), tested(id, 204)])
    await partner.page.getByText("The receiver accepts the secret").waitFor()
    await current(partner.page, "Activate the new secret")
    await settle(partner.page)
    const overflow = await partner.page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBeLessThanOrEqual(0)
    await openDialog(partner.page, "Activate")
    expect(await partner.page.getByRole("dialog").getByRole("switch").count()).toBe(0)
    await press(partner.page, "Activate")
    await current(partner.page, "Delete the old secret, or return to it")

    const secrets = async () =>
      (await pages.sql("select secret_id, other_secret_id from channel where id = $1", [id]))[0]
    const activated = await secrets()
    await operator.go(path)
    await act(page, "Return to the old secret")
    await page.getByText("The old secret signs again").waitFor()
    expect(await secrets()).toEqual({
      secret_id: activated?.other_secret_id,
      other_secret_id: activated?.secret_id,
    })
    await act(page, "Return to the old secret")
    await waitUntil("the new secret", async () => (await secrets())?.secret_id === activated?.secret_id)
    await act(page, "Delete old secret")
    await current(page, "Create the new secret")
    expect(await secrets()).toEqual({ secret_id: activated?.secret_id, other_secret_id: null })
  },
)
