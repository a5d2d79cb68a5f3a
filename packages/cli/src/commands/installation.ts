import { auditView, incidentView, topicView } from "@sitewire/contracts/views"
import type { CommandGroup } from "../command.ts"
import { call } from "../derive/call.ts"
import { incorrectUsage } from "../errors/failure.ts"

export const incident: CommandGroup = {
  name: "incident",
  description: "what is wrong, what was, and who cares for it",
  commands: [
    call("incident list", "listIncidents", {
      description: "list what is wrong and what was, newest first",
      options: {
        state: "open: incidents that exist; resolved: those of the past",
        kind: "only incidents of this kind",
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

export const topic: CommandGroup = {
  name: "topic",
  description: "the Kafka topics",
  commands: [
    call("topic list", "listTopics", {
      description: "list the Kafka topics with the lag of their consumers",
      notes:
        "In a retry topic, records are unread until their delay is over. BLOCKED counts records that nobody reads before an open transaction of a publisher ends; --json shows partition, offset and time.",
      examples: [
        "sitewire topic list",
        "sitewire topic list --json | jq '.data[] | select(.lag > 1000) | .name'",
      ],
      print: topicView,
    }),
  ],
}

export const audit: CommandGroup = {
  name: "audit",
  description: "the audit log: who changed or revealed what",
  commands: [
    call("audit list", "listAudit", {
      description: "list every write, and every read of a secret or of personal data, newest first",
      options: {
        operation: "only entries of this operation, such as changeChannel",
        target: "only entries about the resource with this id; needs --target-kind",
      },
      prepare({ target, target_kind }) {
        if (target !== undefined && target_kind === undefined)
          throw incorrectUsage("--target needs --target-kind, because ids are unique only within a kind.")
      },
      examples: [
        "sitewire audit list --after 2h",
        "sitewire audit list --target-kind channel --target acme",
        "sitewire audit list --operation revokeApiKey --all --json",
      ],
      none: "No entries.",
      print: auditView,
    }),
  ],
}
