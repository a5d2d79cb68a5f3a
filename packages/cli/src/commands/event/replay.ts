import { type InvalidEvent, replayFilterSchema } from "@sitewire/contracts"
import { invalidEventView } from "@sitewire/contracts/views"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { call } from "../../derive/call.ts"
import { fieldsOf } from "../../derive/fieldOptions.ts"
import { incorrectUsage } from "../../errors/failure.ts"
import { type JobOptions, jobOptions, perSecondOption, reasonOf } from "../../options/jobOptions.ts"
import { type ConfirmOptions, confirmOption } from "../../options/pageOptions.ts"
import { timeHelp } from "../../options/parseTime.ts"
import { startedJobSchema, startJob } from "../job/startJob.ts"

export const listEvents = call("event list", "listInvalidEvents", {
  description: "list the site.paid events that were rejected as invalid, newest first",
  examples: [
    "sitewire event list",
    "sitewire event list --event order-10042",
    "sitewire event list --all --json",
  ],
  none: "No invalid events.",
  print: invalidEventView,
  note: ({ data }) => adviceFor(data),
})

/** What to do about those that have no delivery. */
export function adviceFor(events: readonly InvalidEvent[]): string[] {
  const reasons = events.filter(({ delivery }) => delivery === null).map(({ reason }) => reason)
  const unknownChannel = reasons.includes("unknown channel")
    ? [
        "An unknown channel: correct the event's channel and publish it again, or create the channel and run: " +
          'sitewire event replay --invalid-reason "unknown channel" --reason TEXT',
      ]
    : []
  return reasons.some((reason) => reason !== "unknown channel")
    ? [
        "To have an event delivered after all, its publisher corrects what the reason names, and publishes it again with the same id.",
        ...unknownChannel,
      ]
    : unknownChannel
}

type Options = JobOptions & ConfirmOptions & { invalidReason?: string; perSecond?: number }

const times = fieldsOf(replayFilterSchema, { reason: false })

export const replayEvents: CliCommand = {
  name: "replay",
  description: "publish invalid site.paid events again, after their cause was fixed; in batches of up to 500",
  options: [
    new Option(
      "--invalid-reason <reason>",
      "only events that were rejected for this reason, or for one that begins with it",
    ),
    ...times.options,
    perSecondOption,
    ...jobOptions,
    confirmOption,
  ],
  notes: `At least one of --invalid-reason, --after and --before is required.\n${timeHelp}`,
  examples: [
    'sitewire event replay --invalid-reason "unknown channel" --dry-run',
    'sitewire event replay --invalid-reason "unknown channel" --reason "acme exists now" --yes --wait',
  ],
  json: startedJobSchema,
  async run(session, _, options: Options) {
    const { invalidReason, perSecond } = options
    const period = times.read(session, options)
    if (invalidReason === undefined && Object.keys(period).length === 0) {
      throw incorrectUsage(
        "Select events with --invalid-reason, --after or --before; otherwise every invalid event " +
          "would be published again. (--reason is why you do this.) To list the events: sitewire event list",
      )
    }
    const reason = reasonOf(options)
    await startJob(session, options, {
      filter: { invalid_reason: invalidReason, ...period },
      create: (client, dryRun) =>
        client.createReplayJob({
          body: {
            filter: { reason: invalidReason, ...period },
            reason,
            per_second: perSecond,
            dry_run: dryRun,
          },
        }),
      question: (count) =>
        `Publish ${count} invalid events again? The partners receive those that are valid now.`,
    })
  },
}
