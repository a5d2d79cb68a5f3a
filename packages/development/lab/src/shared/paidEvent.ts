import type { SitePaid } from "@sitewire/contracts"

/** A site.paid of a load: equal arguments make equal events. */
export function paidEvent(id: string, channel: string, reference: string): SitePaid {
  return {
    id,
    channel,
    reference,
    site_url: `https://shop-${id}.sites.example`,
    console_url: `https://console.sites.example/shop-${id}`,
    name: "A shop under load",
    email: "owner@customer.example",
    created_at: "2030-01-02T03:04:05+00:00",
  }
}
