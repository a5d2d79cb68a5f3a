import { incidentView } from "@sitewire/contracts/views"
import type { CommandGroup } from "../command.ts"
import { call } from "../derive/call.ts"

export const incident: CommandGroup = {
  name: "incident",
  description: "what is wrong, what was, and who cares for it",
  commands: [
    call("incident list", "listIncidents", {
      description: "list what is wrong and what was, newest first",
      options: {
        state: "open: incidents that exist; resolved: those of the past",
        kind: "only incidents of this kind",
        subject: "only incidents of this channel, topic, or host of sources",
      },
      notes:
        "To be notified of incidents, create a channel with your own address: `sitewire channel create --operator-notifications on`.",
      examples: [
        "sitewire incident list --state open",
        "sitewire incident list --state resolved --subject acme --after 7d",
      ],
      none: "No incidents.",
      print: incidentView,
      note: ({ channels }) => channels ?? [],
    }),
    call("incident acknowledge", "acknowledgeIncident", {
      description: "show others that you care for an incident, until it is resolved",
      options: { note: "who does what until when; never erased, so do not name a person" },
      examples: [
        'sitewire incident acknowledge inc_4f1c0e6a9b2d7c835e10 --note "the partner repairs it, ticket 4711"',
      ],
      print: incidentView,
    }),
    call("incident withdraw", "withdrawAcknowledgement", {
      description: "withdraw the acknowledgement of an incident",
      print: incidentView,
    }),
  ],
}
