import type { SitePaid } from "@sitewire/contracts"

/** A site.paid of a load: equal arguments make equal events. */
export function paidEvent(id: string, channel: string, reference: string, shop = id): SitePaid {
  return {
    id,
    channel,
    reference,
    site_url: `https://shop-${shop}.sites.example`,
    console_url: `https://console.sites.example/shop-${shop}`,
    name: "A shop under load",
    email: "owner@customer.example",
    created_at: "2030-01-02T03:04:05+00:00",
  }
}
