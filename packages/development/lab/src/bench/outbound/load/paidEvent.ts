import { randomUUID } from "node:crypto"
import type { SitePaid } from "@sitewire/contracts"

export function eventOf(at: number, channel: string, reference = `customer-${at}`): SitePaid {
  return {
    id: randomUUID(),
    channel,
    reference,
    site_url: `https://shop-${at}.sites.example`,
    console_url: `https://console.sites.example/shop-${at}`,
    name: `Shop number ${at}`,
    email: `owner-${at}@customer.example`,
    created_at: "2030-01-02T03:04:05+00:00",
  }
}
