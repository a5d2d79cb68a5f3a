import type { CommandGroup } from "../../command.ts"
import { call } from "../../derive/call.ts"
import { attemptTable, deliveryBlock, deliveryTable } from "./deliveryBlock.ts"
import { readPause, readPauses } from "./describeWait.ts"
import { resendAllDeliveries, resendDelivery } from "./resends.ts"
import { deliveryArgument, wholeId } from "./shortId.ts"
import { tailDeliveries } from "./tail.ts"

export const delivery: CommandGroup = {
  name: "delivery",
  description: "deliveries of site.ready, and their attempts",
  commands: [
    call("delivery list", "listDeliveries", {
      description: "list or search the deliveries, newest first",
      examples: [
        "sitewire delivery list",
        "sitewire delivery list --channel acme --state dead --all",
        "sitewire delivery list --waiting-for breaker",
        "sitewire delivery list --site https://shop.example",
        "sitewire delivery list --channel acme --error timeout --after 2026-11-21T12:00:00Z",
        "sitewire delivery list --state dead --json | jq -r '.data[].id' | xargs -n 1 sitewire delivery resend",
      ],
      none: "No deliveries.",
      load: (client, { data }) => readPauses(client, data),
      print: ({ data }, style, pauses) => deliveryTable(data, pauses, style),
      note: ({ data }, { state, error }) =>
        data.length > 0 || state !== undefined || error !== undefined
          ? []
          : "An event that was rejected has no delivery. An operator lists those with: sitewire event list",
    }),
    call("delivery show", "readDelivery", {
      description: "show a delivery, its body with the e-mail address masked, and its newest attempts",
      argument: deliveryArgument,
      findId: wholeId,
      examples: [
        "sitewire delivery show 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b",
        "sitewire delivery show 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b --json | jq '.attempt_log[-1]'",
      ],
      load: (client, { channel }) => readPause(client, channel),
      print: (delivery, style, pausedAt) => deliveryBlock(delivery, pausedAt, style),
      note: ({ id, attempt_log_cursor }) =>
        attempt_log_cursor === null
          ? []
          : `These are its newest attempts. For all of them: sitewire delivery attempts ${id} --all`,
    }),
    call("delivery attempts", "listAttempts", {
      description: "list the attempts of a delivery, newest first",
      argument: deliveryArgument,
      findId: wholeId,
      examples: ["sitewire delivery attempts 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b --all"],
      none: "No attempts.",
      print: ({ data }, style) => attemptTable(style, data),
    }),
    call("delivery reveal", "revealDelivery", {
      description:
        "print a delivery's body exactly as it is sent; it contains personal data, and this is audited",
      argument: deliveryArgument,
      findId: wholeId,
      examples: [
        "sitewire delivery reveal 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b",
        "sitewire delivery reveal 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b --json | jq -rj .body | sha256sum",
      ],
      print: ({ body }) => body,
    }),
    resendDelivery,
    resendAllDeliveries,
    call("delivery cancel", "cancelDelivery", {
      description: "cancel a pending delivery: no further attempt starts, and it can be resent later",
      argument: deliveryArgument,
      findId: wholeId,
      options: { reason: "why you do this; stored in the audit log, so do not name a person" },
      examples: ['sitewire delivery cancel 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b --reason "ticket 17"'],
      print: ({ may_still_arrive, delivery: { id } }) =>
        `The delivery is cancelled. What may still arrive: ${may_still_arrive} To send it after all: sitewire delivery resend ${id}`,
    }),
    tailDeliveries,
  ],
}
