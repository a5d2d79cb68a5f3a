import { deliveriesOf } from "@sitewire/contracts/partnerMessage"

export const deliveriesTexts = {
  deliveries: {
    find: "Find by",
    findBy: "Find by",
    theReference: (reference: string) => `the reference ${reference}`,
    theSite: (url: string) => `the site ${url}`,
    fields: { reference: "Reference", event_id: "Event id", site_url: "Site" },
    placeholders: { reference: "user-4711", event_id: "evt_2026_000017", site_url: "https://shop.example" },
    channel: "Channel",
    state: "State",
    job: "Job",
    all: "All",
    none: "No deliveries yet",
    noneMore: "A delivery appears here as soon as an internal service publishes a site.paid event.",
    noneFound: "No delivery matches these filters",
    newer: "Deliveries have changed: show the newest",
    shown: (count: string, one: boolean, more: boolean) =>
      `${deliveriesOf(count, one)}${more ? " or more" : ""}`,
    columns: {
      state: "State",
      event: "Event",
      channel: "Channel",
      progress: "Attempts",
      created: "Created",
    },
    attempts: (count: number) =>
      count === 0 ? "No attempt yet" : count === 1 ? "1 attempt" : `${count} attempts`,
    notAttempted: (why: string) => `No attempt: ${why}`,
    status: (status: number) => `HTTP ${status}`,
    next: "next",
  },

  bulkResend: {
    label: "Resend these",
    title: "Resend all deliveries of this list",
    matching: (count: string, one: boolean, complete: boolean) =>
      `${complete ? "" : "At least "}${deliveriesOf(count, one)} will be sent again`,
    explain: (span: string, more: boolean) =>
      `With the same id and body, to the current address of their channel. It takes ${more ? "at least" : "about"} ${span} at this rate.`,
    filter: {
      channel: "Channel",
      anyChannel: "all channels",
      state: "State",
      anyState: "any but cancelled",
      after: "Created from",
      before: "Created until",
      now: "now",
      ever: "the oldest stored",
    },
    failing: (channel: string) => `Channel ${channel} is still failing`,
    failingMore:
      "What is sent now will probably not be accepted, and become dead again after its retry period.",
    someFailing: "Channels are still failing",
    andMore: (count: string) => ` and ${count} more`,
    lastFailure: (what: string) => `Its last failure: ${what}.`,
    anyState: "Delivered ones are sent again too. Filter by the state Dead to send only those.",
    rate: "Deliveries per second",
    rateHint: "The receivers get at most this many per second.",
    confirm: (count: string) => `Resend ${count}`,
  },
} as const
