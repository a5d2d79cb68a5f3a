import { startTestInstallation } from "@sitewire/testkit"
import { afterEach, expect, test, vi } from "vitest"
import { client, startOpenIdProvider } from "../../console/test/fixtures/startOpenIdProvider.ts"
import { openBrowser, openPage, visit } from "./fixtures/browser.ts"
import { buildPage } from "./fixtures/buildPage.ts"
import { needsChromium } from "./fixtures/needsChromium.ts"

needsChromium()
afterEach(() => vi.restoreAllMocks())

test("a user signs in at a provider of OpenID Connect, and continues at the URL that was opened", async () => {
  // oidc-provider warns at each start that its defaults are not for production.
  for (const method of ["info", "warn"] as const) vi.spyOn(console, method).mockImplementation(() => {})
  const provider = await startOpenIdProvider()
  provider.user = { sub: "user-7", name: "Ada of acme", sitewire_scopes: ["channel:acme"] }
  await using it = await startTestInstallation()
  await it.addChannel({ id: "acme", address: "https://hooks.acme.example/sitewire", secret: "secret" })
  const { addresses } = await it.start("console", {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: client.id,
    OIDC_CLIENT_SECRET: client.secret,
    CONSOLE_WEB_FOLDER: await buildPage(),
  })
  provider.serve({ redirectUri: `${addresses.console}/session/oidc/callback` })
  const browser = await openBrowser()
  try {
    const view = { width: 1_440, height: 900, scheme: "light" } as const
    const { page, complaints } = await openPage(browser, null, view)
    await visit(page, `${addresses.console}/channels/acme?tab=settings`)
    await page.getByRole("link", { name: "Sign in with your organisation" }).click()
    await page.getByRole("heading", { name: "acme" }).waitFor()
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/channels/acme?tab=settings")
    await page.getByText("Ada of acme").waitFor()
    // The provider's cookies are listed too, because cookies do not depend on the port.
    const cookies = await page.context().cookies(addresses.console)
    expect(cookies.find(({ name }) => name === "sitewire_session")).toMatchObject({
      httpOnly: true,
      sameSite: "Strict",
    })
    expect(complaints).toEqual([])

    // Without a scope in the claim, the provider's user may not sign in.
    provider.user = { sub: "user-8", name: "Eve" }
    const other = await openPage(browser, null, view)
    await visit(other.page, `${addresses.console}/`)
    await other.page.getByRole("link", { name: "Sign in with your organisation" }).click()
    await other.page.getByText("Your account has no role in Sitewire").waitFor()
    await visit(other.page, `${addresses.console}/`)
    await other.page.getByRole("heading", { name: "Sign in" }).waitFor()
  } finally {
    await browser.close()
    await provider.close()
  }
})
