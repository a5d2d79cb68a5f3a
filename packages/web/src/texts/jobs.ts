import { deliveriesOf } from "@sitewire/contracts/partnerMessage"

export const jobsTexts = {
  jobs: {
    kinds: { resend: "Resend", replay: "Replay", erasure: "Erasure", reconcile: "Reconciliation" },
    none: "No jobs yet",
    noneMore: "A bulk resend, a replay, an erasure or a reconciliation appears here.",
    columns: {
      kind: "Kind",
      id: "Job",
      state: "State",
      counts: "Done so far",
      reason: "Reason",
      created: "Created",
    },
  },

  erase: {
    label: "Erase data",
    title: "Erase the data of a person or a site",
    of: "Data of",
    kinds: { email: "a person", site_url: "a site" },
    email: "E-mail address",
    emailHint: "Upper and lower case are equal.",
    site_url: "URL of the site",
    siteHint: "Such as https://bakery.example",
    matching: (count: string, one: boolean, complete: boolean) =>
      `${complete ? "" : "At least "}${deliveriesOf(count, one)} will be erased`,
    nothing: "No delivery has such data. The job still proves it.",
    explain:
      "Deleted are their bodies and hashes, the keys by which a search finds them, the request headers and the partners' responses of their attempts. They are never sent again. This cannot be undone.",
    also: "Also deleted are the replaced contents of all connections, because they may name anybody. Attempts with their times and results stay, and what partners have received.",
    confirm: "Erase",
  },
} as const
