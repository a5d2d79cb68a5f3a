import type { Page } from "playwright-core"

export type Shown = {
  name: string
  path: string
  /** Opens a dialog, for instance. */
  prepare?: (page: Page) => Promise<void>
}

const press = (name: string) => (page: Page) => page.getByRole("button", { name }).first().click()

/** Every page of an operator. `failing` and `delivered` are ids of deliveries. */
export function operatorViews({ failing, delivered }: { failing: string; delivered: string }): Shown[] {
  return [
    { name: "overview", path: "/" },
    { name: "deliveries", path: "/deliveries" },
    { name: "deliveries-filtered", path: "/deliveries?channel=globex&state=pending" },
    { name: "deliveries-none", path: "/deliveries?reference=nobody" },
    { name: "bulk-resend", path: "/deliveries?channel=globex&state=dead", prepare: press("Resend these") },
    { name: "delivery-failing", path: `/deliveries/${failing}` },
    { name: "delivery-delivered", path: `/deliveries/${delivered}` },
    { name: "channels", path: "/channels" },
    { name: "channel-failing", path: "/channels/globex" },
    { name: "channel-healthy", path: "/channels/acme" },
    { name: "channel-rotation", path: "/channels/northwind?tab=secrets" },
    { name: "channel-receiver", path: "/channels/globex?tab=receiver" },
    { name: "channel-settings", path: "/channels/northwind?tab=settings" },
    { name: "channel-pause", path: "/channels/acme", prepare: press("Pause") },
    { name: "connections", path: "/connections" },
    { name: "connection-burst", path: "/connections/bakery-products" },
    { name: "connection-failing", path: "/connections/bookshop-stock" },
    { name: "incidents", path: "/resolved-incidents" },
    { name: "invalid-events", path: "/invalid-events" },
    { name: "jobs", path: "/jobs" },
    { name: "job", path: "/jobs/job_3f1c" },
    { name: "keys", path: "/keys" },
    { name: "create-key", path: "/keys", prepare: press("Create key") },
    { name: "audit", path: "/audit" },
    { name: "not-found", path: "/channels/nobody" },
    {
      name: "search",
      path: "/channels",
      prepare: async (page) => {
        await page.keyboard.press("/")
        await page.locator("[role=combobox]:focus").waitFor()
        await page.keyboard.type("bakery")
        await page.getByRole("option").nth(1).waitFor()
      },
    },
  ]
}

export const partnerViews: Shown[] = [
  { name: "partner-channel", path: "/" },
  { name: "partner-secrets", path: "/channels/acme?tab=secrets" },
  { name: "partner-address", path: "/channels/acme?tab=settings", prepare: press("Change address") },
  { name: "partner-deliveries", path: "/deliveries" },
]

export const ownerViews: Shown[] = [
  { name: "owner-connections", path: "/connections" },
  { name: "owner-sessions", path: "/keys" },
  { name: "owner-connection", path: "/connections/bakery-products" },
]
