import { randomBytes } from "node:crypto"

/** `reference` of every site.ready that is only a test. */
const testReference = "sitewire-test"

/**
 * The body of a site.ready with obviously fictional data, in the form of `siteReadyBody` of the contracts. Each has another
 * `site_url`, because receivers use it as the key of a site. The name contains characters that JSON libraries escape in different
 * ways, so that a receiver that verifies a serialisation of its own, and not the raw body, fails.
 */
export function testSiteReadyBody(channel: string, now = new Date()): Buffer {
  const host = `test-${randomBytes(5).toString("hex")}.sitewire.example`
  return Buffer.from(
    JSON.stringify({
      event: "site.ready",
      channel,
      reference: testReference,
      site_url: `https://${host}/`,
      console_url: `https://${host}/console/`,
      name: "Test <Bäckerei & Café> 🥐",
      email: "test@example.invalid",
      created_at: `${now.toISOString().slice(0, 19)}+00:00`,
    }),
  )
}

/** The same site with another name: what a correction of it sends. */
export function correct(body: Buffer): { body: Buffer; siteUrl: string; name: string } {
  const site = JSON.parse(body.toString("utf8"))
  const name = `${site.name} (corrected)`
  return { body: Buffer.from(JSON.stringify({ ...site, name })), siteUrl: site.site_url, name }
}
