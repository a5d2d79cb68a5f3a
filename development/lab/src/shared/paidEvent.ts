import type { SitePaid } from "@sitewire/contracts"

/**
 * Of events with such an id, one in 4 has an erasable address, a new one for every 400 events, so that an erasure concerns 100 of them. Null: the
 * address that all other events have.
 */
export function erasableAddress(id: string): string | null {
  const number = Number(/^event-(\d+)$/.exec(id)?.[1])
  return number % 4 === 2 ? `owner-${Math.floor(number / 400)}@customer.example` : null
}

/** A site.paid of a load: equal arguments make equal events. */
export function paidEvent(id: string, channel: string, reference: string, shop = id): SitePaid {
  return {
    id,
    channel,
    reference,
    site_url: `https://shop-${shop}.sites.example`,
    console_url: `https://console.sites.example/shop-${shop}`,
    name: "A shop under load",
    email: erasableAddress(id) ?? "owner@customer.example",
    created_at: "2030-01-02T03:04:05+00:00",
  }
}
