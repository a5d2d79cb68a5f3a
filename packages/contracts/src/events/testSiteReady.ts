import { randomBytes } from "node:crypto"
import { siteReadyBody } from "./siteReady.ts"

/** `reference` of every site.ready that is only a test. */
export const testReference = "sitewire-test"

/**
 * The body of a site.ready with obviously fictional data. Each has another `site_url`, because receivers may use it
 * as the key of a site. The name contains characters that JSON libraries escape in different ways, so that a receiver
 * that verifies a serialisation of its own, and not the raw body, fails.
 */
export function testSiteReadyBody(channel: string, now = new Date()): Buffer {
  const host = `test-${randomBytes(5).toString("hex")}.sitewire.example`
  return siteReadyBody({
    id: "test",
    channel,
    reference: testReference,
    site_url: `https://${host}/`,
    console_url: `https://${host}/console/`,
    name: "Test <Bäckerei & Café> 🥐",
    email: "test@example.invalid",
    created_at: now.toISOString(),
  })
}
